#include "validation/questions/questions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mlsim::validation {

const std::vector<Question>& questions() {
  using enum Hidden;
  static const std::vector<Question> all = {
      {"as asked", "as a planner asks: no software, recipe, optimizer or data named", {Telling::as_asked, nothing, {}}},
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
