#include "core/text/spelling.hpp"

#include <algorithm>
#include <cctype>

namespace mlsim {

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

}  // namespace mlsim
