#include "calibrate/import/lined_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim::calibrate {

std::string LinedText::place(std::size_t index) const { return fmt::format("{}:{}", path, index + 1); }

LinedText lined_text(const std::string& path, const std::string& text) {
  LinedText lined{path, {}, text.empty() || text.back() == '\n'};
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lined.lines.push_back(std::move(line));
  }
  return lined;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

bool is_whole_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

double figure(const std::string& word, const std::string& what, const std::string& place) {
  try {
    return parse_number(word);
  } catch (const InputError&) {
    throw InputError(place, fmt::format("{} is \"{}\", which is no number", what, word));
  }
}

double figure_above_zero(const std::string& word, const std::string& what, const std::string& place) {
  const double value = figure(word, what, place);
  if (value <= 0) throw InputError(place, fmt::format("{} is \"{}\"; it must be more than zero", what, word));
  return value;
}

Bytes byte_count(const std::string& word, const std::string& place) {
  if (!is_whole_number(word)) throw InputError(place, fmt::format("size is \"{}\", which is no number of bytes", word));
  return Bytes(figure(word, "size", place));
}

}  // namespace mlsim::calibrate
