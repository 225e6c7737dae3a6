#include "core/text/spelling.hpp"

#include <algorithm>
#include <cctype>

namespace mlsim {

std::string name_key(std::string_view name) {
  std::string key;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ' ') key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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

}  // namespace mlsim
