#include "core/result/refusal_json.hpp"

#include "core/text/json_schema_writer.hpp"
#include "core/text/statement_json.hpp"

namespace mlsim {

template <class Io>
void describe(Io& io, Refusal& refusal) {
  io.field("feasible", false);
  io.field("reason", refusal.reason);
  io.field("nearest", refusal.nearest);
}

template std::string json_schema<Refusal>();

std::string refusal_json(const Infeasible& infeasible) {
  Refusal refusal{infeasible.what(), {}};
  if (!infeasible.nearest().text.empty()) refusal.nearest = infeasible.nearest();
  return JsonWriter::text("refusal", refusal);
}

}  // namespace mlsim
