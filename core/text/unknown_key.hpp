// A key that a file may not have, said with the nearest right one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim {

/// Returns what unknown_word() says; of a Hugging Face config.json, which has "architectures", what it is for.
inline std::string unknown_key(std::string_view key, const std::vector<std::string>& known) {
  if (key == "architectures")
    return "is a model of Hugging Face, config.json, which is a workload: --workload takes it";
  return unknown_word("key", key, known);
}

}  // namespace mlsim
