#include "reports/figure_text.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>

namespace mlsim::reports {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Reads the number at `at` and moves `at` behind it.
std::uint64_t number_at(const std::string& text, std::size_t& at) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data() + at, text.data() + text.size(), value).ptr;
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

}  // namespace

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
