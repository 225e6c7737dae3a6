// case_traits() describes a published case as a run that others are compared with.
#pragma once

#include "sim/evidence/run_traits.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Reads all but its settings, which settings_texts() tells.
RunTraits case_traits(const Case& c, TraitsReader& reader);

}  // namespace mlsim::validation
