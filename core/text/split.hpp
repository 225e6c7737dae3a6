// split() reads lists inside one text: "a,b;c".
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace mlsim {

/// Returns the items between separators, empty ones too: "a,,b" has three, "" has one.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

}  // namespace mlsim
