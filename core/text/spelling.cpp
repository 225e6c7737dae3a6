#include "core/text/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/code_point.hpp"
#include "core/text/errors.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kShownOfWord = 80;

}  // namespace

std::string slug(std::string text, const std::vector<std::string>& words) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string& word : words)
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) text.erase(at, word.size());
  std::string result;
  bool gap = false;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept) result += (gap && !result.empty() ? "-" : "") + std::string(1, c);
    gap = !kept;
  }
  return result;
}

std::string processor_slug(const std::string& model) {
  const std::string name = slug(" " + model.substr(0, model.find('@')), {"(r)", "(tm)", " cpu", " processor"});
  return name.empty() ? "cpu" : "cpu-" + name;
}

std::string name_key(std::string_view name) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::string key;
  bool apart = false;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') {
      apart = true;
      continue;
    }
    if (apart && is_digit(c) && !key.empty() && is_digit(key.back())) key += '-';
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    apart = false;
  }
  return key;
}

bool goes_on_from(std::string_view name, std::string_view stem) {
  return name.size() > stem.size() && name.starts_with(stem) && name[stem.size()] == '-';
}

std::optional<std::string> name_among(const std::vector<std::string>& names, std::string_view word) {
  auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end())
    found = std::find_if(names.begin(), names.end(),
                         [key = name_key(word)](const std::string& name) { return name_key(name) == key; });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

std::string shown_text(std::string_view text, std::size_t longest) {
  std::string shown;
  for (std::size_t characters = 0; !text.empty(); ++characters) {
    if (characters == longest) return shown + "...";
    const CodePoint point = first_code_point(text);
    const std::string_view bytes = text.substr(0, point.bytes);
    if (point.broken || is_control(point)) {
      for (const char byte : bytes) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      shown += bytes;
    }
    text.remove_prefix(point.bytes);
  }
  return shown;
}

std::string checked_name(const std::string& name) {
  if (shown_text(name, name.size()) != name)
    throw InputError(fmt::format("{} is no name: it holds control characters or broken ones", in_quotes(name)));
  return name;
}

std::string in_quotes(std::string_view word) { return "\"" + shown_text(word, kShownOfWord) + "\""; }

}  // namespace mlsim
