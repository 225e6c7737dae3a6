#include "core/text/units_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

using Unit = std::pair<std::string_view, double>;  // spelling, size in base units

constexpr std::array<Unit, 8> kSeconds{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"days", 86400}}};
constexpr std::array<Unit, 11> kBytes{{{"B", 1},
                                       {"kB", 1e3},
                                       {"MB", 1e6},
                                       {"GB", 1e9},
                                       {"TB", 1e12},
                                       {"PB", 1e15},
                                       {"KiB", 1024.0},
                                       {"MiB", 1048576.0},
                                       {"GiB", 1073741824.0},
                                       {"TiB", 1099511627776.0},
                                       {"bit", 0.125}}};
// The table also holds the spellings of data sheets of networks: "400 Gbps", "400 Gb/s".
constexpr std::array<Unit, 25> kBandwidth{{{"B/s", 1},           {"kB/s", 1e3},           {"MB/s", 1e6},
                                           {"GB/s", 1e9},        {"TB/s", 1e12},          {"KiB/s", 1024.0},
                                           {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}, {"TiB/s", 1099511627776.0},
                                           {"bit/s", 0.125},     {"kbit/s", 125},         {"Mbit/s", 1.25e5},
                                           {"Gbit/s", 1.25e8},   {"Tbit/s", 1.25e11},     {"PB/s", 1e15},
                                           {"bps", 0.125},       {"kbps", 125},           {"Mbps", 1.25e5},
                                           {"Gbps", 1.25e8},     {"Tbps", 1.25e11},       {"b/s", 0.125},
                                           {"kb/s", 125},        {"Mb/s", 1.25e5},        {"Gb/s", 1.25e8},
                                           {"Tb/s", 1.25e11}}};
constexpr std::array<Unit, 6> kFlop{
    {{"FLOP", 1}, {"kFLOP", 1e3}, {"MFLOP", 1e6}, {"GFLOP", 1e9}, {"TFLOP", 1e12}, {"PFLOP", 1e15}}};
constexpr std::array<Unit, 6> kFlopRate{
    {{"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}};
constexpr std::array<Unit, 3> kUsd{{{"USD", 1}, {"kUSD", 1e3}, {"MUSD", 1e6}}};
constexpr std::array<Unit, 3> kUsdRate{{{"USD/h", 1.0 / 3600}, {"USD/s", 1}, {"USD/d", 1.0 / 86400}}};
constexpr std::array<Unit, 6> kRate{
    {{"/s", 1}, {"samples/s", 1}, {"images/s", 1}, {"Hz", 1}, {"MHz", 1e6}, {"GHz", 1e9}}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Returns the leading number of `text` and moves `text` past it.
double take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) {
    throw InputError(fmt::format("\"{}\" does not start with a finite number", text.substr(0, 80)));
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// `example` is the unit that a message writes where the text has none.
double parse_with(std::span<const Unit> units, std::string_view what, std::string_view text, std::string_view example) {
  std::string_view rest = trimmed(text);
  const double number = take_number(rest);
  rest = trimmed(rest);
  for (const auto& [name, scale] : units) {
    if (rest == name) return number * scale;
  }
  std::vector<std::string> names;
  for (const auto& unit : units) names.emplace_back(unit.first);
  if (rest.empty()) {
    throw InputError(fmt::format("\"{}\" has no unit; {} is written like \"{} {}\"", trimmed(text).substr(0, 80), what,
                                 number, example));
  }
  throw InputError(fmt::format("\"{}\": {}", trimmed(text).substr(0, 80),
                               unknown_word(fmt::format("unit of {}", what), rest, names)));
}

// Writes three significant digits; all digits before the point from 1000 on.
std::string digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.9995 || size == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

// Picks the largest unit that keeps the number at or above one; `units` go from small to large.
std::string scaled(double value, std::span<const Unit> units) {
  if (!std::isfinite(value)) return fmt::format("{} {}", value, units.front().first);
  const Unit* chosen = &units.front();
  for (const auto& unit : units) {
    if (std::abs(value) >= unit.second * 0.9995) chosen = &unit;
  }
  return fmt::format("{} {}", digits(value / chosen->second), chosen->first);
}

}  // namespace

template <>
Seconds parse_quantity<Seconds>(std::string_view t) {
  return Seconds(parse_with(kSeconds, "a time", t, "s"));
}
template <>
Bytes parse_quantity<Bytes>(std::string_view t) {
  return Bytes(parse_with(kBytes, "a size", t, "GB"));
}
template <>
Flop parse_quantity<Flop>(std::string_view t) {
  return Flop(parse_with(kFlop, "work", t, "GFLOP"));
}
template <>
Usd parse_quantity<Usd>(std::string_view t) {
  return Usd(parse_with(kUsd, "money", t, "USD"));
}
template <>
PerSecond parse_quantity<PerSecond>(std::string_view t) {
  return PerSecond(parse_with(kRate, "a rate", t, "samples/s"));
}
template <>
BytesPerSecond parse_quantity<BytesPerSecond>(std::string_view t) {
  return BytesPerSecond(parse_with(kBandwidth, "a bandwidth", t, "GB/s"));
}
template <>
FlopPerSecond parse_quantity<FlopPerSecond>(std::string_view t) {
  return FlopPerSecond(parse_with(kFlopRate, "a compute rate", t, "TFLOP/s"));
}
template <>
UsdPerSecond parse_quantity<UsdPerSecond>(std::string_view t) {
  return UsdPerSecond(parse_with(kUsdRate, "a price", t, "USD/h"));
}

double parse_number(std::string_view text) {
  std::string_view rest = trimmed(text);
  const double value = take_number(rest);
  if (!rest.empty()) throw InputError(fmt::format("\"{}\" is not a number", trimmed(text).substr(0, 80)));
  return value;
}

int parse_count(std::string_view text, int lowest, int highest) {
  const std::string_view word = trimmed(text);
  long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool beyond = error == std::errc::result_out_of_range;
  const bool whole = (error == std::errc() || beyond) && end == word.data() + word.size();
  const std::string_view shown = word.substr(0, 80);
  if (!whole) throw InputError(fmt::format("\"{}\" is not a whole number", shown));
  if (beyond ? word.front() == '-' : value < lowest)
    throw InputError(fmt::format("{} is below the smallest possible value, {}", shown, lowest));
  if (beyond || value > highest) throw InputError(fmt::format("{} is too large; at most {}", shown, highest));
  return static_cast<int>(value);
}

std::string to_text(Seconds q) {
  static constexpr std::array<Unit, 6> kUnits{
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};
  if (q.value == 0) return "0 s";
  // Seconds stay readable up to two minutes, minutes up to two hours.
  if (q.value >= 60 && q.value < 120) return digits(q.value) + " s";
  if (q.value >= 3600 && q.value < 7200) return digits(q.value / 60) + " min";
  return scaled(q.value, kUnits);
}
std::string to_text(Bytes q) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}}};
  return scaled(q.value, kUnits);
}
std::string to_text(Flop q) { return scaled(q.value, kFlop); }
std::string to_text(Usd q) {
  return q.value >= 99.5 ? count_text(q.value) + " USD" : fmt::format("{:.2f} USD", q.value);
}
std::string to_text(BytesPerSecond q) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}};
  return scaled(q.value, kUnits);
}
std::string to_text(FlopPerSecond q) { return scaled(q.value, kFlopRate); }
std::string to_text(UsdPerSecond q) { return fmt::format("{} USD/h", digits(q.value * 3600)); }

std::string count_text(double value) {
  std::string text = fmt::format("{:.0f}", value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ' ');
  }
  return text;
}

}  // namespace mlsim
