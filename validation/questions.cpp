#include "validation/questions.hpp"

#include <algorithm>
#include <iterator>

namespace mlsim::validation {

const std::vector<Question>& questions() {
  using enum Hidden;
  static const std::vector<Question> all = {
      {"as a planner asks: no software, recipe, optimizer or data named", {Telling::as_asked, nothing, {}}},
      {"the publisher's own tables hidden", {Telling::as_stated, own, {}}},
      {"the row's own table hidden", {Telling::as_stated, table, {}}},
      {"the network hidden", {Telling::as_stated, network, {}}},
      {"the accelerator hidden", {Telling::as_stated, chip, {}}},
      {"the release of the software hidden", {Telling::as_stated, release, {}}},
      {"MLPerf rounds from earlier rounds only", {Telling::as_stated, era, {}}},
      {"several nodes, anchors on at most one box", {Telling::as_stated, nothing, AnchorSizes::one_box}},
      {"in the table: software, recipe and a sibling named", {}},
  };
  return all;
}

QuestionScore score_of(const Question& question, const ValidationReport& report) {
  std::vector<CaseResult> predicted;  // the plain question has times whose rate is given, too
  std::copy_if(report.cases.begin(), report.cases.end(), std::back_inserter(predicted),
               [](const CaseResult& r) { return !r.what.options.job.throughput; });
  QuestionScore score{question, overall(predicted, Metric::throughput), overall(predicted, Metric::time_to_accuracy)};
  for (const GroupScore& group : report.groups) {
    if (group.intervals >= kTellingGroup) {
      ++score.groups;
      score.groups_held += group.coverage >= 0.8 ? 1 : 0;
    }
    if (group.metric == Metric::throughput && group.skill && group.linear().count >= kTellingGroup) {
      ++score.groups_judged;
      score.without_skill += *group.skill >= kNoSkill ? 1 : 0;
    }
  }
  return score;
}

std::vector<QuestionScore> ask_all(const std::vector<Case>& cases, const ValidationOptions& options,
                                   const std::function<void(const ValidationReport&)>& arrived) {
  std::vector<QuestionScore> scores;
  for (const Question& question : questions()) {
    ValidationOptions asking = options;
    asking.asking = question.asking;
    const ValidationReport report = validate_published(cases, asking);
    scores.push_back(score_of(question, report));
    if (arrived) arrived(report);
  }
  return scores;
}

}  // namespace mlsim::validation
