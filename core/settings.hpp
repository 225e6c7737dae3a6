// Settings as --set takes them, key to value: "stack" -> "mlperf-v0.6", "data" -> "synthetic".
#pragma once

#include <map>
#include <string>

namespace mlsim {

using Settings = std::map<std::string, std::string>;

}  // namespace mlsim
