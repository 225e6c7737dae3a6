#include "core/text/json_schema_writer.hpp"

#include "validation/scores/convergence_errors.hpp"
#include "validation/scores/error_summary_json.hpp"
#include "validation/scores/transfer.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::validation {
namespace {

// A StatedTrust is a Trust without its words.
struct StatedTrust {
  Trust trust{};
};

template <class Io>
void describe(Io& io, const StatedTrust& stated) {
  io.word("level", stated.trust.level);
  io.word("footing", stated.trust.footing);
  io.field("log_difficulty", stated.trust.log_difficulty, kPositive);
}

// A BoundGroup stands beside the bounds that it may miss.
struct BoundGroup {
  GroupScore score{};
  ErrorBounds bounds{};
};

template <class Io>
void describe(Io& io, const BoundGroup& group) {
  const GroupScore& score = group.score;
  io.field("name", score.source);
  io.word("metric", score.metric);
  io.field("count", score.error.count, kNotNegative);
  describe_errors(io, score.error);
  io.field("coverage", of_rows(score.intervals, score.coverage), kShare);
  io.field("refused", score.refused, kNotNegative);
  io.field("misses", misses(score, group.bounds));
  for (std::size_t b = 0; b < kBaselines; ++b)
    io.field_if_any(name(static_cast<Baseline>(b)).data(), with_rows(score.baselines[b]));
  io.field_if_any("skill", if_finite(score.skill), kNotNegative);
}

struct BoundMedians {};

template <class Io>
void describe(Io& io, const BoundMedians&) {
  for (const MedianBound& bound : kConvergenceBounds) io.field(name(bound.how).data(), bound.median, kNotNegative);
}

}  // namespace

template <class Io>
void describe(Io& io, const ErrorSummary& error) {
  io.field("count", error.count, NumberRange{1});
  describe_errors(io, error);
}

template <class Io>
void describe(Io& io, const CaseResult& result) {
  io.field("id", result.what.id);
  io.field("group", result.what.source);
  io.word("metric", result.what.metric);
  io.field("value", result.what.value);
  io.field("predicted", result.predicted);
  io.field("relative_error", if_finite(result.predicted ? std::optional(result.relative_error()) : std::nullopt));
  io.field("interval", result.interval);
  io.word("role", result.what.role);
  io.field("distance", result.distance.text);
  for (std::size_t b = 0; b < kBaselines; ++b)
    io.field_if_any(name(static_cast<Baseline>(b)).data(), result.baselines[b]);
  io.field_if_any("trust", result.trust ? std::optional(StatedTrust{*result.trust}) : std::nullopt);
  io.field_if_any("refused", if_any(result.refusal));
}

template <class Io>
void describe(Io& io, const ValidationReport& report) {
  std::vector<BoundGroup> groups;
  for (const GroupScore& group : report.groups) groups.push_back({group, report.bounds});
  io.word("ask", report.asking.telling);
  io.word("hide", report.asking.hidden);
  io.word("anchors", report.asking.anchors);
  io.field("cases", report.cases);
  io.field("groups", groups);
  io.field("passed", exit_status(report) == 0);
}

std::string to_json(const ValidationReport& report) { return JsonWriter::text("validation", report); }

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

template std::string mlsim::json_schema<mlsim::validation::ValidationReport>();
template std::string mlsim::json_schema<mlsim::validation::TransferErrors>();
template std::string mlsim::json_schema<mlsim::validation::ConvergenceErrors>();
