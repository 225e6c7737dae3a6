#include "core/text/json_schema_writer.hpp"
#include "validation/scores/convergence_errors.hpp"

namespace mlsim::validation {
namespace {

struct BoundMedians {};

template <class Io>
void describe(Io& io, const BoundMedians&) {
  for (const MedianBound& bound : kConvergenceBounds) io.field(name(bound.how).data(), bound.median, kNotNegative);
}

}  // namespace

template <class Io>
void describe(Io& io, const LeftOutErrors& left) {
  io.field("count", left.error.count, kNotNegative);
  io.field("unanswered", left.unanswered, kNotNegative);
  io.field("median_abs_error", left.error.median, kNotNegative);
  io.field("p90_abs_error", left.error.p90, kNotNegative);
  io.field("max_abs_error", left.error.max, kNotNegative);
  io.field("bias", left.error.bias);
  io.field("coverage", left.coverage, kShare);
}

template <class Io>
void describe(Io& io, const BenchmarkErrors& errors) {
  io.field("benchmark", errors.benchmark);
  io.field("results", errors.results, kNotNegative);
  for (const LeaveOut how : kLeaveOuts) io.field(name(how).data(), errors.by(how));
}

template <class Io>
void describe(Io& io, const ConvergenceErrors& errors) {
  io.field("benchmarks", errors.benchmarks);
  io.field("all", errors.all);
  io.field("bounds", BoundMedians{});
  io.field("misses", misses(errors));
}

std::string to_json(const ConvergenceErrors& errors) { return JsonWriter::text("errors", errors); }

}  // namespace mlsim::validation

template std::string mlsim::json_schema<mlsim::validation::ConvergenceErrors>();
