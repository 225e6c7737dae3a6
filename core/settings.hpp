// Settings as --set takes them, key to value: "stack" -> "mlperf-v0.6", "data" -> "synthetic".
#pragma once

#include <map>
#include <string>

namespace mlsim {

using Settings = std::map<std::string, std::string>;

/// The value under `key`, or `otherwise`.
inline std::string setting(const Settings& settings, const std::string& key, const std::string& otherwise = {}) {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : found->second;
}

}  // namespace mlsim
