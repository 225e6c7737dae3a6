#include "reports/figure_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

// A number above this is not money, time or memory of any cluster, and its digits say nothing.
constexpr double kLargest = 1e15;

bool beyond_reading(double value) { return !(std::abs(value) < kLargest); }

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Reads the number at `at` and moves `at` behind it.
std::uint64_t number_at(const std::string& text, std::size_t& at) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data() + at, text.data() + text.size(), value).ptr;
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

}  // namespace

std::string figure_text(Seconds time) {
  if (time.value == 0) return "0 s";
  return beyond_reading(time.value) ? fmt::format("{:.3g} s", time.value) : to_text(time);
}

std::string figure_text(Bytes size) {
  return beyond_reading(size.value) ? fmt::format("{:.3g} B", size.value) : to_text(size);
}

std::string figure_text(Usd money) {
  return beyond_reading(money.value) ? fmt::format("{:.3g} USD", money.value) : to_text(money);
}

std::string figure_text(PerSecond samples) {
  const double rate = samples.value;
  if (rate >= 999.5e9) return fmt::format("{:.3g} samples/s", rate);
  if (rate >= 999.5e6) return fmt::format("{:.3g} G samples/s", rate / 1e9);
  if (rate >= 999.5e3) return fmt::format("{:#.3g} M samples/s", rate / 1e6);
  return rate >= 99.95 ? count_text(rate) + " samples/s" : fmt::format("{:.3g} samples/s", rate);
}

std::string rate_text(PerSecond samples) {
  const std::string text = figure_text(samples), word = " samples/s";
  const std::string number = text.substr(0, text.size() - word.size());
  return number + "/s";
}

std::string rate_interval_text(const Interval& interval) {
  const std::string low = rate_text(PerSecond(interval[0])), high = rate_text(PerSecond(interval[1]));
  const auto digits = [](const std::string& text) { return text.find_last_of("0123456789") + 1; };
  const bool same = low.substr(digits(low)) == high.substr(digits(high));
  return (same ? low.substr(0, digits(low)) : low) + " .. " + high;
}

std::string figure_text(double count) {
  if (beyond_reading(count)) return fmt::format("{:.3g}", count);
  return std::abs(count) >= 999.5 ? count_text(count) : fmt::format("{:.3g}", count);
}

std::string accelerator_count_text(double count) {
  return figure_text(count) + (count == 1 ? " accelerator" : " accelerators");
}

std::string percent_text(double share) {
  return (std::abs(share) < 10 ? fmt::format("{:.1f}", share * 100) : figure_text(share * 100)) + " %";
}

std::string share_bar(double share, std::size_t width) {
  static constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clipped = share > 0 ? std::min(share, 1.0) : 0;
  const auto units = static_cast<std::size_t>(std::lround(clipped * 8 * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < units / 8; ++i) text += "█";
  return text + kEighths[units % 8];
}

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto left = number_at(a, i), right = number_at(b, j);
      if (left != right) return left < right;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace mlsim::reports
