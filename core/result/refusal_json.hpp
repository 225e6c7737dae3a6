// refusal_json() writes a plan that cannot work for machines.
#pragma once

#include <optional>
#include <string>

#include "core/text/errors.hpp"

namespace mlsim {

struct Refusal {
  std::string reason;                // one sentence
  std::optional<Statement> nearest;  // what would work; empty where nobody knows
};

/// Writes a Refusal, whose schema is core/result/refusal.schema.json.
std::string refusal_json(const Infeasible& refusal);

}  // namespace mlsim
