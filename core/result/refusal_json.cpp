#include "core/result/refusal_json.hpp"

#include <optional>

#include "core/text/json_writer.hpp"
#include "core/text/statement_json.hpp"

namespace mlsim {

std::string refusal_json(const Infeasible& refusal) {
  bool feasible = false;
  std::string reason = refusal.what();
  std::optional<Statement> nearest;
  if (!refusal.nearest().text.empty()) nearest = refusal.nearest();
  JsonWriter writer("refusal");
  writer.field("feasible", feasible);
  writer.field("reason", reason);
  writer.field("nearest", nearest);
  return writer.text();
}

}  // namespace mlsim
