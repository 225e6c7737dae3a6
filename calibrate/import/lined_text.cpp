#include "calibrate/import/lined_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// A tag is "[1,0]<stdout>:", or "[prterun-host-7@1,0]<stderr>: " of Open MPI 5.
bool take_tag(std::string_view& line) {
  const auto close = line.starts_with('[') ? line.find(']') : std::string_view::npos;
  if (close == std::string_view::npos) return false;
  std::string_view rest = line.substr(close + 1);
  if (!take(rest, "<stdout>:") && !take(rest, "<stderr>:")) return false;
  take(rest, " ");
  line = rest;
  return true;
}

// A task is "0: ", with blanks before it where there are ten tasks and more.
void take_task(std::string_view& line) {
  std::string_view rest = line;
  while (take(rest, " ")) continue;
  if (!take_digits(rest).empty() && take(rest, ": ")) line = rest;
}

}  // namespace

std::string LinedText::place(std::size_t index) const { return fmt::format("{}:{}", path, index + 1); }

LinedText lined_text(const std::string& path, const std::string& text) {
  LinedText lined{path, {}, text.empty() || text.back() == '\n'};
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::string_view rest = line;
    if (!take_tag(rest)) take_task(rest);
    lined.lines.emplace_back(rest);
  }
  return lined;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (auto begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

bool take(std::string_view& line, std::string_view start) {
  if (!line.starts_with(start)) return false;
  line.remove_prefix(start.size());
  return true;
}

std::string_view take_digits(std::string_view& line) {
  const std::string_view digits = line.substr(0, line.find_first_not_of("0123456789"));
  line.remove_prefix(digits.size());
  return digits;
}

bool is_whole_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

double figure(const std::string& word, const std::string& what, const std::string& place) {
  try {
    return parse_number(word);
  } catch (const InputError&) {
    throw InputError(place, fmt::format("{} is {}, which is no number", what, in_quotes(word)));
  }
}

double figure_above_zero(const std::string& word, const std::string& what, const std::string& place) {
  const double value = figure(word, what, place);
  if (value <= 0) throw InputError(place, fmt::format("{} is {}; it must be more than zero", what, in_quotes(word)));
  return value;
}

Bytes byte_count(const std::string& word, const std::string& place) {
  if (!is_whole_number(word))
    throw InputError(place, fmt::format("size is {}, which is no number of bytes", in_quotes(word)));
  return Bytes(figure(word, "size", place));
}

}  // namespace mlsim::calibrate
