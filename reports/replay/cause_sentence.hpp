// This sentence gives the evidence for a cause.
#pragma once

#include <string>

#include "replay/diagnosis/cause.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

std::string cause_sentence(const Cause& cause);

}  // namespace mlsim::reports
