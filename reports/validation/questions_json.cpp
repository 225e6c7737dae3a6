#include "reports/validation/questions_json.hpp"

#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

nlohmann::ordered_json score_json(const GroupScore& score, double coverage_left_out) {
  nlohmann::ordered_json json{{"count", score.error.count},
                              {"refused", score.refused},
                              {"median_abs_error", score.error.median},
                              {"p90_abs_error", score.error.p90},
                              {"coverage_left_out", coverage_left_out},
                              {"coverage", score.coverage}};
  if (score.error.count == 0)
    for (const char* of_rows : {"median_abs_error", "p90_abs_error"}) json[of_rows] = nullptr;
  if (score.intervals == 0)
    for (const char* of_intervals : {"coverage_left_out", "coverage"}) json[of_intervals] = nullptr;
  for (std::size_t b = 0; b < kBaselines; ++b)
    if (const ErrorSummary& error = score.baselines[b]; error.count > 0)
      json[name(static_cast<Baseline>(b))] = {
          {"count", error.count}, {"median_abs_error", error.median}, {"p90_abs_error", error.p90}};
  return json;
}

nlohmann::ordered_json group_json(const TellingGroup& group) {
  nlohmann::ordered_json json{{"group", group.score.source}, {"metric", name(group.score.metric)}};
  json.update(score_json(group.score, group.coverage_left_out));
  if (group.score.skill) json["skill"] = *group.score.skill;
  json["no_skill"] = group.without_skill();
  return json;
}

nlohmann::ordered_json goal_json(const GoalScore& score) {
  nlohmann::ordered_json json{{"of", score.goal.text},
                              {"metric", name(score.goal.metric)},
                              {"count", score.error.count},
                              {"median_abs_error", score.error.median},
                              {"p90_abs_error", score.error.p90},
                              {"coverage", score.coverage},
                              {"target_median", score.goal.median},
                              {"target_p90", score.goal.p90}};
  if (score.error.count == 0)
    for (const char* of_rows : {"median_abs_error", "p90_abs_error", "coverage"}) json[of_rows] = nullptr;
  if (score.goal.held) json["target_coverage"] = *score.goal.held;
  json["reached"] = score.median_reached() && score.p90_reached() && score.held_reached();
  return json;
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

std::string questions_json(const std::vector<QuestionScore>& scores) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const QuestionScore& score : scores) {
    const Asking& asking = score.question.asking;
    const GroupCounts n = group_counts(score);
    json.push_back({{"question", score.question.text},
                    {"ask", name(asking.telling)},
                    {"hide", name(asking.hidden)},
                    {"anchors", name(asking.anchors)},
                    {"throughput", score_json(score.throughput, score.throughput_left_out)},
                    {"time_to_accuracy", score_json(score.time, score.time_left_out)},
                    {"groups", n.all},
                    {"groups_held_left_out", n.held_left_out},
                    {"groups_held", n.held},
                    {"groups_judged", n.judged},
                    {"groups_without_skill", n.without_skill}});
    for (const TellingGroup& group : score.groups) json.back()["by_group"].push_back(group_json(group));
    for (const GoalScore& goal : score.goals) json.back()["goals"].push_back(goal_json(goal));
  }
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
