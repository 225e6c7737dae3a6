#include "core/text/json_schema_writer.hpp"
#include "replay/trace/collective_json.hpp"
#include "replay/validation/trace_validation.hpp"

namespace mlsim::replay {

template <class Io>
void describe(Io& io, const SplitStep& step) {
  io.field("step_s", step.time);
  io.field("compute_s", step.sums.compute);
  io.field("collective_s", step.sums.collective);
  io.field("exposed_s", step.sums.exposed);
  io.field("overlapped_s", step.sums.overlapped);
  io.field("copy_s", step.sums.copy);
  io.field("idle_s", max(Seconds(0), step.time - step.sums.busy), kNotNegative);
}

template <class Io>
void describe(Io& io, const RankReplay& rank) {
  io.field("rank", rank.rank, kNotNegative);
  io.field("host_bound", rank.host_bound);
  io.field("waiting_s", rank.waiting);
  io.field("unexplained_s", rank.unexplained);
  io.field("recorded", rank.recorded);
  io.field("replayed", rank.own);
  io.field_if_any("simulated", rank.simulated);
}

template <class Io>
void describe(Io& io, const CollectiveReplay& each) {
  const auto& simulated = each.simulated;
  describe_collective(io, each.what);
  io.field("count", each.count);
  io.field("recorded_s", each.least);
  io.field_if_any("simulated_s", simulated ? std::optional(simulated->time) : std::nullopt);
  io.field_if_any("error", if_finite(simulated ? std::optional(each.error()) : std::nullopt));
  io.field_if_any("by", simulated ? std::optional(simulated->algorithm) : std::nullopt);
  io.field_if_any("judged", simulated ? std::optional(each.judged) : std::nullopt);
}

template <class Io>
void describe(Io& io, const WhatIfStep& step) {
  io.field("text", step.text);
  io.field("ranks", step.ranks, NumberRange{1});
  io.field("before_s", step.before, kNotNegative);
  io.field("after_s", step.after, kNotNegative);
}

template <class Io>
void describe(Io& io, const ReplayedStep& step) {
  io.field("step", step.step);
  io.field("recorded_s", step.recorded, kNotNegative);
  io.field("replayed_s", step.simulated, kNotNegative);
  io.field("formula_s", step.formula, kNotNegative);
}

template <class Io>
void describe(Io& io, const TraceValidation& validation) {
  const bool on_system = !validation.topology.empty();
  io.field("validation", "trace");
  io.field("bound", validation.bound, kNotNegative);
  io.field_if_any("topology", if_any(validation.topology));
  io.field("replayed_error", if_finite(validation.own_error()));
  io.field_if_any("simulated_error", if_finite(on_system ? std::optional(validation.simulated_error()) : std::nullopt));
  io.field("within_bound", exit_status(validation) == 0);
  io.field_if_any("by_laws_s", validation.by_laws, kNotNegative);
  io.field_if_any("what_if", if_any(validation.what_if));
  io.field_if_any("pipeline", if_any(validation.pipeline));
  io.field_if_any("ranks", if_any(validation.ranks));
  io.field_if_any("collectives", if_any(validation.collectives));
  io.field_if_any("warnings", if_any(validation.warnings));
}

std::string to_json(const TraceValidation& validation) { return JsonWriter::text("validation", validation); }

}  // namespace mlsim::replay

template std::string mlsim::json_schema<mlsim::replay::TraceValidation>();
