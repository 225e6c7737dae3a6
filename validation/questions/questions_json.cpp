#include "core/text/json_schema_writer.hpp"
#include "validation/questions/questions.hpp"
#include "validation/scores/error_summary_json.hpp"

namespace mlsim::validation {
namespace {

struct MedianErrors {
  ErrorSummary error{};
};

template <class Io>
void describe(Io& io, const MedianErrors& errors) {
  io.field("count", errors.error.count, kNotNegative);
  io.field("median_abs_error", of_rows(errors.error.count, errors.error.median), kNotNegative);
  io.field("p90_abs_error", of_rows(errors.error.count, errors.error.p90), kNotNegative);
}

// A CoveredGroup is a group with the coverage of intervals whose width has not seen it.
struct CoveredGroup {
  GroupScore score{};
  double coverage_left_out = 0;
};

template <class Io>
void describe(Io& io, const CoveredGroup& group) {
  const GroupScore& score = group.score;
  io.field("count", score.error.count, kNotNegative);
  io.field("refused", score.refused, kNotNegative);
  io.field("median_abs_error", of_rows(score.error.count, score.error.median), kNotNegative);
  io.field("p90_abs_error", of_rows(score.error.count, score.error.p90), kNotNegative);
  io.field("coverage_left_out", of_rows(score.intervals, group.coverage_left_out), kShare);
  io.field("coverage", of_rows(score.intervals, score.coverage), kShare);
  for (std::size_t b = 0; b < kBaselines; ++b) {
    const ErrorSummary& error = score.baselines[b];
    io.field_if_any(name(static_cast<Baseline>(b)).data(),
                    error.count > 0 ? std::optional(MedianErrors{error}) : std::nullopt);
  }
}

}  // namespace

template <class Io>
void describe(Io& io, const TellingGroup& group) {
  io.field("group", group.score.source);
  io.word("metric", group.score.metric);
  describe(io, CoveredGroup{group.score, group.coverage_left_out});
  io.field_if_any("skill", if_finite(group.score.skill), kNotNegative);
  io.field("no_skill", group.without_skill());
}

template <class Io>
void describe(Io& io, const GoalScore& score) {
  io.field("of", score.goal.text);
  io.word("metric", score.goal.metric);
  describe(io, MedianErrors{score.error});
  io.field("coverage", of_rows(score.error.count, score.coverage), kShare);
  io.field("target_median", score.goal.median, kNotNegative);
  io.field("target_p90", score.goal.p90, kNotNegative);
  io.field_if_any("target_coverage", score.goal.held, kShare);
  io.field("reached", score.median_reached() && score.p90_reached() && score.held_reached());
}

template <class Io>
void describe(Io& io, const QuestionScore& score) {
  const Asking& asking = score.question.asking;
  const GroupCounts counts = group_counts(score);
  io.field("question", score.question.text);
  io.word("ask", asking.telling);
  io.word("hide", asking.hidden);
  io.word("anchors", asking.anchors);
  io.field("throughput", CoveredGroup{score.throughput, score.throughput_left_out});
  io.field("time_to_accuracy", CoveredGroup{score.time, score.time_left_out});
  io.field("groups", counts.all);
  io.field("groups_held_left_out", counts.held_left_out);
  io.field("groups_held", counts.held);
  io.field("groups_judged", counts.judged);
  io.field("groups_without_skill", counts.without_skill);
  io.field_if_any("by_group", if_any(score.groups));
  io.field_if_any("goals", if_any(score.goals));
}

std::string to_json(const std::vector<QuestionScore>& scores) { return JsonWriter::text("scores", scores); }

}  // namespace mlsim::validation

template std::string mlsim::json_schema<std::vector<mlsim::validation::QuestionScore>>();
