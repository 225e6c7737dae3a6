// The order in which people list names with numbers in them.
#pragma once

#include <string>

namespace mlsim::reports {

/// "tpu-v3-32" before "tpu-v3-128": runs of digits compare by value.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace mlsim::reports
