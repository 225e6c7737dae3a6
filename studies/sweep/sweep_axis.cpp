#include "studies/sweep/sweep_axis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "core/profile/collective_name.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "sim/options/option.hpp"

namespace mlsim::studies {
namespace {

constexpr int kLongestRange = 100'000;
constexpr std::size_t kMostPoints = 10'000'000;

// Tells whether values of this word may hold commas.
bool has_commas(const std::string& key) {
  if (key == "parallelism" || key == "topology") return true;
  for (const Option& option : option_table())
    if (option.key == key) return option.values.find("[,") != std::string::npos;
  return false;
}

std::string number_text(double number) { return fmt::format("{:.12g}", number); }

// Computes the numbers of "1..24", "2..10+4" or "1..1000*10".
std::vector<double> range_of(const std::string& text, double from, double to, const std::string& way,
                             const std::string& by) {
  const bool adds = way == "+";
  const double step = by.empty() ? 2 : parse_number(by);
  if (!(to > from)) throw InputError(fmt::format("\"{}\" does not go up", text));
  if (!adds && by.empty() && from == 0)
    throw InputError(fmt::format(
        "\"{}\" doubles, and nothing doubled is nothing; a range starts at 1, or adds: 0..{:g}+1", text, to));
  if (adds ? !(step > 0) : !(step > 1 && from > 0)) throw InputError(fmt::format("\"{}\" goes nowhere", text));
  std::vector<double> numbers;
  // Each number is computed from the first, so that errors of rounding do not add up.
  for (int i = 0;; ++i) {
    const double steps = static_cast<double>(i);
    const double number = adds ? from + steps * step : from * std::pow(step, steps);
    if (number >= to * (1 - 1e-9)) break;
    if (i == kLongestRange) throw InputError(fmt::format("\"{}\" has more than {} values", text, kLongestRange));
    numbers.push_back(number);
  }
  numbers.push_back(to);
  return numbers;
}

// Takes the letters that are among `characters` off the front of the text.
std::string taken(std::string_view& text, std::string_view characters) {
  const std::string_view front = text.substr(0, text.find_first_not_of(characters));
  text.remove_prefix(front.size());
  return std::string(front);
}

bool begins_with_digit(std::string_view text) { return !text.empty() && text.front() >= '0' && text.front() <= '9'; }

// Lists the values of a range of numbers with a unit or none, "1..8*2 h"; empty where the text is none.
std::optional<std::vector<std::string>> range_values(const std::string& text) {
  constexpr std::string_view kNumber = "0123456789.eE",
                             kUnit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz%/";
  const auto dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string from = text.substr(0, dots);
  std::string_view rest = std::string_view(text).substr(dots + 2);
  if (!begins_with_digit(from) || from.find_first_not_of(kNumber) != std::string::npos || !begins_with_digit(rest))
    return std::nullopt;
  const std::string to = taken(rest, kNumber);
  std::string way, by;
  if (rest.starts_with('+') || rest.starts_with('*')) {
    way = rest.front();
    rest.remove_prefix(1);
    by = taken(rest, kNumber);
    if (by.empty()) return std::nullopt;
  }
  std::string unit = taken(rest, " ");
  unit += taken(rest, kUnit);
  if (!rest.empty()) return std::nullopt;
  std::vector<std::string> values;
  for (const double number : range_of(text, parse_number(from), parse_number(to), way, by))
    values.push_back(number_text(number) + unit);
  return values;
}

// Refuses "1-8", which is how ranges are written elsewhere.
void check_hyphen(const std::string& piece) {
  const auto hyphen = piece.find('-');
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (hyphen == std::string::npos) return;
  const std::string_view whole = piece, from = whole.substr(0, hyphen), to = whole.substr(hyphen + 1);
  if (digits(from) && digits(to))
    throw InputError(fmt::format("\"{}\" is written {}..{}, which doubles, or {}..{}+1", piece, from, to, from, to));
}

// Lists "dgx-a100:nodes=1..4,gpus=8" for each number of its ranges.
std::vector<std::string> system_values(const std::string& text) {
  for (auto equals = text.find('='); equals != std::string::npos; equals = text.find('=', equals + 1)) {
    const auto end = std::min(text.find_first_not_of("0123456789.+*", equals + 1), text.size());
    const auto numbers = range_values(text.substr(equals + 1, end - equals - 1));
    if (!numbers) continue;
    std::vector<std::string> values;
    for (const std::string& number : *numbers)
      for (const std::string& value : system_values(text.substr(0, equals + 1) + number + text.substr(end)))
        values.push_back(value);
    return values;
  }
  return {text};
}

// Reads "4B", or a bare number in the unit of `other`.
double bytes_of(const std::string& text, const std::string& other) {
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  const auto unit = other.find_first_not_of("0123456789. ");
  return parse_quantity<Bytes>(bare && unit != std::string::npos ? text + other.substr(unit) : text).value;
}

// Lists so many sizes between the two by equal factors, in whole bytes, each once.
std::vector<double> sizes_between(const std::string& text, double from, double to, int count) {
  if (!(to > from)) throw InputError(fmt::format("\"{}\" does not go up", text));
  std::vector<double> sizes;
  for (int i = 0; i < count; ++i) {
    const double size = std::round(from * std::pow(to / from, i / (count - 1.0)));
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return sizes;
}

// Lists "all-reduce:payload=4B" .. of "all-reduce:payload=4B..500MB/80": eighty sizes by equal factors; without "/80"
// the size doubles, with "*10" it grows tenfold.
std::vector<std::string> collective_values(const std::string& text) {
  const auto equals = text.find('='), dots = text.find("..");
  if (equals == std::string::npos || dots == std::string::npos || dots < equals) return {text};
  const std::string from = text.substr(equals + 1, dots - equals - 1), rest = text.substr(dots + 2);
  const auto way = rest.find_first_of("/*");
  const std::string to = rest.substr(0, way), by = way == std::string::npos ? "" : rest.substr(way + 1);
  const double first = bytes_of(from, to), last = bytes_of(to, from);
  std::vector<double> sizes;
  if (way != std::string::npos && rest[way] == '/')
    sizes = sizes_between(text, first, last, parse_count(by, 2, kLongestRange));
  else
    for (const double size : range_of(text, first, last, "*", by)) sizes.push_back(std::round(size));
  std::vector<std::string> values;
  for (const double size : sizes) values.push_back(text.substr(0, equals + 1) + number_text(size) + "B");
  return values;
}

// A comma separates parameters in the name of a system where the next piece is one: "torus:x=4,y=8,dgx2" are two
// systems.
std::vector<std::string> systems_of(const std::string& text) {
  std::vector<std::string> systems;
  for (const std::string& piece : split(text, ',')) {
    const bool parameter = !systems.empty() && systems.back().find(':') != std::string::npos &&
                           piece.find('=') != std::string::npos && piece.find(':') > piece.find('=');
    if (parameter)
      systems.back() += "," + piece;
    else
      systems.push_back(piece);
  }
  return systems;
}

std::vector<std::string> pieces_of(const std::string& key, const std::string& text) {
  std::vector<std::string> pieces;
  for (const std::string& alternative : split(text, '|')) {
    const auto first = alternative.find_first_not_of(' ');
    const std::string trimmed =
        first == std::string::npos ? "" : alternative.substr(first, alternative.find_last_not_of(' ') + 1 - first);
    std::vector<std::string> parts{trimmed};
    if (key == "topology")
      parts = systems_of(trimmed);
    else if (!has_commas(key))
      parts = split(trimmed, ',');
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }
  return pieces;
}

}  // namespace

SweepAxis parse_axis(const std::string& place, const std::string& key, const std::string& text) {
  SweepAxis axis{key, {}};
  try {
    for (const std::string& piece : pieces_of(key, text)) {
      if (piece.empty()) throw InputError(fmt::format("\"{}\" holds an empty value", text));
      if (key != "price-date" && key != "price_date") check_hyphen(piece);
      const auto range = range_values(piece);
      const auto values = range                                          ? *range
                          : key == "topology"                            ? system_values(piece)
                          : key == "workload" && names_collective(piece) ? collective_values(piece)
                                                                         : std::vector{piece};
      for (const std::string& value : values) axis.values.push_back(value == "default" ? "" : value);
    }
    std::set<std::string> seen;
    for (const std::string& value : axis.values)
      if (!seen.insert(value).second) throw InputError(fmt::format("\"{}\" stands twice", value));
  } catch (const InputError& e) {
    throw InputError(place, e.reason());
  }
  return axis;
}

std::size_t points_of(const std::vector<SweepAxis>& axes) {
  std::size_t points = 1;
  for (const SweepAxis& axis : axes) {
    points *= axis.values.size();
    if (points > kMostPoints) throw InputError(fmt::format("the sweep has more than {} points", kMostPoints));
  }
  return points;
}

std::vector<std::string> values_of_point(const std::vector<SweepAxis>& axes, std::size_t point) {
  std::vector<std::string> values(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; point /= axes[a].values.size())
    values[a] = axes[a].values[point % axes[a].values.size()];
  return values;
}

}  // namespace mlsim::studies
