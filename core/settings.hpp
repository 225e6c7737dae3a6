// `Settings` are keys and values as --set takes them: "stack" -> "mlperf-v0.6", "data" -> "synthetic".
#pragma once

#include <map>
#include <string>

namespace mlsim {

using Settings = std::map<std::string, std::string>;

}  // namespace mlsim
