#include <cmath>

#include "core/text/json_schema_writer.hpp"
#include "replay/validation/replay_error.hpp"

namespace mlsim::replay {

template <class Io>
void describe(Io& io, const StepErrorSplit& split) {
  io.field("kernel_s", split.kernel);
  io.field("collective_s", split.collective);
  io.field("contention_s", split.contention);
  io.field("overlap_s", split.overlap);
}

template <class Io>
void describe(Io& io, const ReplayNodeError& error) {
  io.field("name", error.node.name);
  io.field("exchange", error.node.exchange);
  io.field("predicted_s", error.predicted);
  io.field("alone_s", error.node.alone);
  io.field("in_step_s", error.node.in_step);
}

template <class Io>
void describe(Io& io, const JudgedReplay& judged) {
  const ReplayError& error = judged.error;
  io.field("run", judged.run);
  io.field("time", judged.time);
  io.field("predicted_s", error.predicted, kNotNegative);
  io.field("measured_s", error.measured, kNotNegative);
  io.field("relative_error", if_finite(error.relative()));
  io.field("bound", judged.bound, kNotNegative);
  io.field("within", std::abs(error.relative()) <= judged.bound);
  io.field("split", error.split);
  io.field_if_any("nodes", if_any(error.nodes));
  io.field("warnings", error.warnings);
}

std::string to_json(const JudgedReplay& judged) { return JsonWriter::text("replay", judged); }

}  // namespace mlsim::replay

template std::string mlsim::json_schema<mlsim::replay::JudgedReplay>();
