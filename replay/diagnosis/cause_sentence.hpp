// This sentence gives the evidence for a cause.
#pragma once

#include <string>

#include "replay/diagnosis/cause.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

std::string cause_sentence(const Cause& cause);

}  // namespace mlsim::replay
