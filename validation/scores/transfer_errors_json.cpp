#include "core/text/json_schema_writer.hpp"
#include "validation/scores/error_summary_json.hpp"
#include "validation/scores/transfer.hpp"

namespace mlsim::validation {

template <class Io>
void describe(Io& io, const TransferCheck& check) {
  io.field("from", check.from);
  io.field("to", check.to);
  io.field("measured", check.measured_id);
  io.field("asked", check.target_id);
  io.field("published", check.published, kNotNegative);
  io.field("predicted", check.predicted, kNotNegative);
  io.field("relative_error", if_finite(check.error()));
}

template <class Io>
void describe(Io& io, const TransferScore& score) {
  io.field("name", score.name);
  io.field("count", score.error.count, kNotNegative);
  describe_errors(io, score.error);
  io.field("log_rms", of_rows(score.error.count, score.log_rms), kNotNegative);
}

template <class Io>
void describe(Io& io, const TransferErrors& errors) {
  io.field("checks", errors.checks);
  io.field("pairs", errors.pairs);
  io.field("all", errors.all);
  io.field("misses", misses(errors));
}

std::string to_json(const TransferErrors& errors) { return JsonWriter::text("errors", errors); }

}  // namespace mlsim::validation

template std::string mlsim::json_schema<mlsim::validation::TransferErrors>();
