#include "core/text/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/spelling.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kMostNamed = 48;    // words in one message; of more none, where none is near
constexpr std::size_t kShortestPart = 3;  // letters that still point to a word
constexpr std::size_t kLongestWord = 64;  // the distance is quadratic
constexpr std::size_t kLargestSlip = 2;   // letters; what is farther is another word

// Computes the optimal string alignment distance (Levenshtein with swaps of neighbours), case-insensitive.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Tells whether a name's key holds another, whose last number ends there: "llama-3-8b" holds "llama3", "llama-33b" not.
bool holds(const std::string& name, const std::string& key) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (auto at = name.find(key); at != std::string::npos; at = name.find(key, at + 1)) {
    const auto end = at + key.size();
    if (end == name.size() || !is_digit(key.back()) || !is_digit(name[end])) return true;
  }
  return false;
}

// Returns the candidates that hold `word`, however it is spelt, "bert-large" for "BERT", at most kMostNamed.
std::vector<std::string> words_with(std::string_view word, const std::vector<std::string>& candidates) {
  std::vector<std::string> found;
  const std::string key = name_key(word);
  if (key.size() < kShortestPart) return found;
  for (const auto& candidate : candidates) {
    if (holds(name_key(candidate), key) && found.size() < kMostNamed) found.push_back(candidate);
  }
  return found;
}

// Tells whether one of `names` is as near to `word` as `nearest` is, as vgg16 and vgg19 are to "vgg".
bool ties(std::string_view word, const std::string& nearest, const std::vector<std::string>& names) {
  const std::size_t distance = edit_distance(word, nearest);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& each) { return each != nearest && edit_distance(word, each) == distance; });
}

std::string without_zeros(std::string text) {
  for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\x00");
  return text;
}

}  // namespace

InputError::InputError(const std::string& place, const std::string& reason)
    : std::runtime_error(without_zeros(place.empty() ? reason : place + ": " + reason)),
      place_(place),
      reason_(reason) {}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return {};  // not a slip of the keyboard, and the distance is quadratic
  if (const auto same = name_among(candidates, word)) return *same;
  std::size_t best = kLargestSlip + 1;
  std::string nearest;
  for (const auto& candidate : candidates) {
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (std::max(word.size(), candidate.size()) - shorter >= best) continue;  // each letter more is a slip
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_word(std::string_view what, std::string_view word, const std::vector<std::string>& candidates) {
  const std::string shown(word.substr(0, 80));
  const std::string nearest = nearest_word(word, candidates);
  const auto longer = words_with(word, candidates);
  const bool meant = longer.empty() ||
                     (std::find(longer.begin(), longer.end(), nearest) != longer.end() && !ties(word, nearest, longer));
  if (!nearest.empty() && meant) return fmt::format("unknown {} \"{}\"; did you mean \"{}\"?", what, shown, nearest);
  if (!longer.empty()) return fmt::format("unknown {} \"{}\"; there are {}", what, shown, fmt::join(longer, ", "));
  if (candidates.size() > kMostNamed)
    return fmt::format("unknown {} \"{}\"; none of the {} that there are is near; `mlsim list` shows the catalogues",
                       what, shown, candidates.size());
  return fmt::format("unknown {} \"{}\"; known: {}", what, shown, fmt::join(candidates, ", "));
}

}  // namespace mlsim
