#include "core/text/json_schema_writer.hpp"
#include "validation/scores/error_summary_json.hpp"
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

}  // namespace mlsim::validation

template std::string mlsim::json_schema<mlsim::validation::ValidationReport>();
