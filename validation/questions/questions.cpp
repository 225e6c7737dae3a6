#include "validation/questions/questions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::validation {

const std::vector<Question>& questions() {
  using enum Hidden;
  static const std::vector<Question> all = {
      {"bare",
       "system, size and model alone, against the quickest run: MLPerf's from v1.0 on, steps of language models",
       {Telling::bare, nothing, {}}},
      {"in earnest", "system, size, model and batch alone", {Telling::in_earnest, nothing, {}}},
      {"as asked, hidden", "configuration told, no software; the row's table hidden", {Telling::as_asked, table, {}}},
      {"as asked",
       "configuration told, no software, recipe, optimizer or data named",
       {Telling::as_asked, nothing, {}}},
      {"own hidden", "the publisher's own tables hidden", {Telling::as_stated, own, {}}},
      {"table hidden", "the row's own table hidden", {Telling::as_stated, table, {}}},
      {"network hidden", "the network hidden", {Telling::as_stated, network, {}}},
      {"chip hidden", "the accelerator hidden", {Telling::as_stated, chip, {}}},
      {"release hidden", "the release of the software hidden", {Telling::as_stated, release, {}}},
      {"earlier rounds", "MLPerf rounds from earlier rounds only", {Telling::as_stated, era, {}}},
      {"one box", "several nodes, anchors on at most one box", {Telling::as_stated, nothing, AnchorSizes::one_box}},
      {"in the table", "in the table: software, recipe and a sibling named", {}},
  };
  return all;
}

namespace {

bool is_predicted(const CaseResult& r) { return !r.rate_given(); }

bool is_mlperf_from_v07(const CaseResult& r) {
  const auto round = mlperf_round(r.what.options.software.stack);
  return is_predicted(r) && round && *round >= 0.7;
}

bool is_batch_changed(const CaseResult& r) {
  if (!r.trust) return false;
  const auto& quantities = r.trust->why.quantities;
  return std::any_of(quantities.begin(), quantities.end(), [](const auto& q) { return q.name == "batch_ratio"; });
}

bool is_of_anchors_batch(const CaseResult& r) { return is_predicted(r) && !is_batch_changed(r); }

bool is_language_step(const CaseResult& r) { return r.what.of_language_models(); }

bool is_nccl_sweep(const CaseResult& r) { return r.what.publisher == "nccl"; }

// A question's score is made of this, a tenth of the report's size.
struct Asked {
  QuestionScore score;
  std::vector<IntervalCheck> checks;

  QuestionScore with(const LeftOutFactors& factors) && {
    score.throughput_left_out = factors.coverage(checks, Metric::throughput);
    score.time_left_out = factors.coverage(checks, Metric::time_to_accuracy);
    for (TellingGroup& group : score.groups)
      group.coverage_left_out = factors.coverage(checks, group.score.source, group.score.metric);
    return std::move(score);
  }
};

Asked asked(const Question& question, const ValidationReport& report) {
  std::vector<CaseResult> predicted;  // the plain question has times whose rate is given, too
  std::copy_if(report.cases.begin(), report.cases.end(), std::back_inserter(predicted),
               [](const CaseResult& r) { return !r.rate_given(); });
  Asked all{{question,
             overall(predicted, Metric::throughput),
             overall(predicted, Metric::time_to_accuracy),
             0,
             0,
             {},
             goal_scores(question.name, report.cases)},
            interval_checks(report)};
  for (const GroupScore& group : report.groups) {
    const bool judged = group.metric == Metric::throughput && group.skill && group.linear().count >= kTellingGroup;
    if (group.intervals >= kTellingGroup) all.score.groups.push_back({group, 0, judged});
  }
  return all;
}

}  // namespace

const std::vector<Goal>& goals() {
  static const Interval around_90{0.85, 0.95};
  using enum Metric;
  static const std::vector<Goal> all = {
      {"bare", "MLPerf times from v1.0 on", time_to_accuracy, is_predicted, 0.07, 0.35, around_90},
      {"bare", "rates of language models", throughput, is_language_step, 0.07, 0.35, around_90},
      {"in earnest", "throughput", throughput, is_predicted, 0.07, 0.40, around_90},
      {"in earnest", "MLPerf times from v0.7 on", time_to_accuracy, is_mlperf_from_v07, 0.04, 0.20, {}},
      {"as asked, hidden", "throughput", throughput, is_predicted, 0.12, 0.50, around_90},
      {"as asked", "throughput", throughput, is_predicted, 0.08, 0.35, around_90},
      {"as asked", "MLPerf times from v0.7 on", time_to_accuracy, is_mlperf_from_v07, 0.04, 0.18, around_90},
      {"own hidden", "throughput", throughput, is_predicted, 0.25, 0.80, around_90},
      {"table hidden", "throughput", throughput, is_predicted, 0.15, 0.50, {}},
      {"network hidden", "throughput", throughput, is_predicted, 0.18, 0.55, {}},
      {"chip hidden", "throughput", throughput, is_predicted, 0.16, 0.60, {}},
      {"earlier rounds", "throughput", throughput, is_predicted, 0.07, 0.18, {}},
      {"one box", "throughput", throughput, is_predicted, 0.05, 0.22, {}},
      {"in the table", "throughput at the anchor's batch", throughput, is_of_anchors_batch, 0.03, 0.12, {}},
      {"in the table", "throughput at another batch", throughput, is_batch_changed, 0.05, 0.18, {}},
      {"in the table", "steps of language models", step_time, is_language_step, 0.05, 0.15, around_90},
      {"in the table", "lone all-reduce of NCCL, as a step plans it", all_reduce_time, is_nccl_sweep, 0.06, 0.25, {}},
  };
  return all;
}

std::vector<GoalScore> goal_scores(const std::string& question, const std::vector<CaseResult>& answers) {
  std::vector<GoalScore> scores;
  for (const Goal& goal : goals()) {
    if (goal.question != question) continue;
    std::vector<CaseResult> counted;
    std::copy_if(answers.begin(), answers.end(), std::back_inserter(counted),
                 [&](const CaseResult& r) { return goal.counts(r); });
    const GroupScore score = overall(counted, goal.metric);
    scores.push_back({goal, score.error, score.coverage});
  }
  return scores;
}

GroupCounts group_counts(const QuestionScore& s) {
  GroupCounts n{s.groups.size()};
  for (const TellingGroup& group : s.groups) {
    n.held_left_out += group.held_left_out() ? 1 : 0;
    n.held += group.held() ? 1 : 0;
    n.judged += group.skill_judged ? 1 : 0;
    n.without_skill += group.without_skill() ? 1 : 0;
  }
  return n;
}

QuestionScore score_of(const Question& question, const ValidationReport& report, const LeftOutFactors& factors) {
  return asked(question, report).with(factors);
}

std::vector<QuestionScore> ask_all(const std::vector<Case>& cases, const ValidationOptions& options,
                                   const std::function<void(const ValidationReport&)>& arrived) {
  std::vector<Asked> all;
  LeftOutFactors factors;
  for (const Question& question : questions()) {
    ValidationOptions asking = options;
    asking.asking = question.asking;
    const ValidationReport report = validate_published(cases, asking);
    all.push_back(asked(question, report));
    factors.add(report);
    if (arrived) arrived(report);
  }
  std::vector<QuestionScore> scores;
  for (Asked& each : all) scores.push_back(std::move(each).with(factors));
  return scores;
}

}  // namespace mlsim::validation
