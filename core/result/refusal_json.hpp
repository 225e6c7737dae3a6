// refusal_json() writes a plan that cannot work for machines.
#pragma once

#include <string>

#include "core/text/errors.hpp"

namespace mlsim {

/// Returns {"feasible": false, "reason": the sentence, "nearest": {"text", "quantities"} of what would work, or null};
/// the schema is core/result/refusal.schema.json.
std::string refusal_json(const Infeasible& refusal);

}  // namespace mlsim
