#include "core/kernel/probe_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "core/text/errors.hpp"

namespace mlsim {
namespace {

bool starts_number(const std::string& word) {
  const char first = word.front();
  return std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '-' || first == '+' || first == '.';
}

std::int64_t parse_size(const std::string& word) {
  std::int64_t size = 0;
  const char* const end = word.data() + word.size();
  const auto [last, error] = std::from_chars(word.data(), end, size);
  if (error != std::errc() || last != end || size < 1)
    throw InputError(fmt::format("\"{}\" is not a size of at least 1", word));
  return size;
}

}  // namespace

ProbeName parse_probe_name(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) throw InputError("a probe has no name");
  ProbeName name{words.front(), {}, {}, {}};
  const auto first_size = std::find_if(words.begin() + 1, words.end(), starts_number);
  std::vector<std::string> qualifiers(words.begin() + 1, first_size);
  const auto& formats = names<Precision>();
  const auto is_format = [&](const std::string& word) {
    return std::find(formats.begin(), formats.end(), word) != formats.end();
  };
  if (!qualifiers.empty() && (qualifiers.size() > 1 || is_format(qualifiers.back()))) {
    name.precision = parse<Precision>(qualifiers.back());
    qualifiers.pop_back();
  }
  if (qualifiers.size() > 1)
    throw InputError(fmt::format("\"{}\" is not a probe: KIND [VARIANT] [PRECISION] [SIZE]...", text));
  if (!qualifiers.empty()) name.variant = qualifiers.front();
  for (auto word = first_size; word != words.end(); ++word) name.sizes.push_back(parse_size(*word));
  return name;
}

std::string to_text(const ProbeName& probe) {
  std::string text = probe.kind;
  if (!probe.variant.empty()) text += " " + probe.variant;
  if (probe.precision) text += fmt::format(" {}", name(*probe.precision));
  for (const std::int64_t size : probe.sizes) text += fmt::format(" {}", size);
  return text;
}

}  // namespace mlsim
