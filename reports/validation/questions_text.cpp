#include "reports/validation/questions_text.hpp"
#include "reports/markdown_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "reports/renderers/table_text.hpp"
#include "reports/validation/lab_runs_markdown.hpp"
#include "reports/validation/published_traces_text.hpp"
#include "reports/validation/validation_markdown.hpp"
#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

// "7.1 / 47", percent.
std::string pair_text(const ErrorSummary& error) {
  return error.count > 0 ? fmt::format("{:.1f} / {:.0f}", 100 * error.median, 100 * error.p90) : "-";
}

std::string held_text(const GroupScore& score) {
  return score.intervals > 0 ? fmt::format("{:.0f} %", 100 * score.coverage) : "-";
}

// How many groups are so.
struct GroupCounts {
  std::size_t all = 0, held_left_out = 0, held = 0, judged = 0, without_skill = 0;
};

GroupCounts counts(const QuestionScore& s) {
  GroupCounts n{s.groups.size()};
  for (const TellingGroup& group : s.groups) {
    n.held_left_out += group.held_left_out() ? 1 : 0;
    n.held += group.held() ? 1 : 0;
    n.judged += group.skill_judged ? 1 : 0;
    n.without_skill += group.without_skill() ? 1 : 0;
  }
  return n;
}

std::string of_text(std::size_t some, std::size_t all) { return all > 0 ? fmt::format("{} of {}", some, all) : "-"; }

// "DLPerf V100 1 node, MLBench CPU": the groups without skill; empty where all that can be judged have some.
std::string without_skill(const QuestionScore& s) {
  std::string names;
  for (const TellingGroup& group : s.groups)
    if (group.without_skill()) names += (names.empty() ? "" : ", ") + group.score.source;
  return names;
}

std::vector<std::string> cells(const QuestionScore& s) {
  const auto& by = s.throughput.baselines;
  const GroupCounts n = counts(s);
  return {s.question.text,
          std::to_string(s.throughput.error.count),
          pair_text(s.throughput.error),
          held_text(s.throughput),
          pair_text(by[0]),
          pair_text(by[1]),
          pair_text(by[2]),
          pair_text(s.time.error),
          held_text(s.time),
          of_text(n.held_left_out, n.all),
          of_text(n.held, n.all),
          of_text(n.without_skill, n.judged)};
}

const std::vector<std::string>& headings() {
  static const std::vector<std::string> all = {"question", "rows", "rate", "held",        "linear",   "x 0.97",
                                               "3 terms",  "time", "held", "groups held", "with own", "no skill"};
  return all;
}

constexpr std::string_view kNote =
    "Errors in %, median / P90, of throughput (rate) and of time to accuracy; held: share of the 90 % intervals that\n"
    "hold the published value. linear, x 0.97, 3 terms: the errors of the baselines, on the rows that they answer "
    "from\n"
    "what the question leaves of their family. groups held: of ten checks and more, those that hold 80 % and more, of\n"
    "intervals whose width the group's own checks had no part in; with own: of those that are answered. no skill:\n"
    "groups whose median error is 0.8 of the best baseline's or more.\n";

// "8.0 / 35; 85-95 % held"
std::string target_text(const Goal& goal) {
  std::string text = fmt::format("{:.0f} / {:.0f}", 100 * goal.median, 100 * goal.p90);
  if (goal.held) text += fmt::format("; {:.0f}-{:.0f} % held", 100 * (*goal.held)[0], 100 * (*goal.held)[1]);
  return text;
}

std::string reached_text(const GoalScore& score) {
  std::string missed;
  const auto add = [&](bool reached, const char* what) {
    if (!reached) missed += (missed.empty() ? "" : ", ") + std::string(what);
  };
  add(score.median_reached(), "median");
  add(score.p90_reached(), "P90");
  add(score.held_reached(), "held");
  return missed.empty() ? "yes" : "not: " + missed;
}

std::vector<std::string> goal_cells(const QuestionScore& s, const GoalScore& score) {
  return {s.question.text,
          score.goal.text,
          std::to_string(score.error.count),
          pair_text(score.error),
          score.goal.held && score.error.count > 0 ? fmt::format("{:.0f} %", 100 * score.coverage) : "-",
          target_text(score.goal),
          score.error.count > 0 ? reached_text(score) : "-"};
}

const std::vector<std::string>& goal_headings() {
  static const std::vector<std::string> all = {"question", "of", "rows", "error", "held", "target", "reached"};
  return all;
}

// "83 (90) *"
std::string coverage_text(const TellingGroup& group) {
  const double left_out = std::round(100 * group.coverage_left_out), with = std::round(100 * group.score.coverage);
  return fmt::format("{:.0f}{}{}", left_out, with == left_out ? "" : fmt::format(" ({:.0f})", with),
                     group.without_skill() ? " *" : "");
}

// A line for each question that leaves groups without skill.
std::string no_skill_lines(const std::vector<QuestionScore>& scores, const std::string& bullet) {
  std::string lines;
  for (const QuestionScore& s : scores)
    if (const std::string names = without_skill(s); !names.empty())
      lines += fmt::format("{}no skill, {}: {}\n", bullet, s.question.name, names);
  return lines;
}

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

// A row for each group that some question was asked of, in the order of the plain one's, which has all.
std::string groups_markdown(const std::vector<QuestionScore>& scores) {
  std::string out =
      "## Coverage by group, the group left out\n\nShares of the 90 % intervals that hold, in %, with widths that the "
      "group's own checks had no part in; in brackets\nas answered, where that differs. `*`: no skill. Groups of ten "
      "checks and more.\n\n| group | metric |";
  for (const QuestionScore& s : scores) out += fmt::format(" {} |", s.question.name);
  out += "\n|---|---|";
  for (std::size_t i = 0; i < scores.size(); ++i) out += "---|";
  out += "\n";
  for (const TellingGroup& row : scores.back().groups) {
    out += fmt::format("| {} | {} |", row.score.source, name(row.score.metric));
    for (const QuestionScore& s : scores) {
      const auto same = [&](const TellingGroup& g) {
        return g.score.source == row.score.source && g.score.metric == row.score.metric;
      };
      const auto group = std::find_if(s.groups.begin(), s.groups.end(), same);
      out += group == s.groups.end() ? " - |" : fmt::format(" {} |", coverage_text(*group));
    }
    out += "\n";
  }
  return out + "\n" + no_skill_lines(scores, "* ") + "\n";
}

void add_row(Table& table, const std::vector<std::string>& cells) {
  table.rows.emplace_back(cells.begin(), cells.end());
}

std::string goals_markdown(const std::vector<QuestionScore>& scores) {
  std::string out = "## What it is to reach\n\n" + markdown_head(goal_headings());
  for (const QuestionScore& score : scores)
    for (const GoalScore& goal : score.goals) out += markdown_row(goal_cells(score, goal));
  return out + "\n";
}

}  // namespace

std::string questions_text(const std::vector<QuestionScore>& scores) {
  Table table = empty_table(headings(), 1);
  for (const QuestionScore& score : scores) add_row(table, cells(score));
  Table goals = empty_table(goal_headings(), 2);
  for (const QuestionScore& score : scores)
    for (const GoalScore& goal : score.goals) add_row(goals, goal_cells(score, goal));
  return to_text(table) + "\n" + paragraph(std::string(kNote) + no_skill_lines(scores, "")) + "\n" + to_text(goals);
}

std::string questions_markdown(const std::vector<QuestionScore>& scores, const PublishedTraceResults& traces,
                               const ValidationReport& plain) {
  std::string out =
      "# Accuracy\n\nGenerated by `mlsim validate questions`; do not edit. A prediction is worth what it is worth to "
      "somebody who\ncannot name a sibling of the run: the hard questions come first, the easy one last.\n\n";
  out += markdown_head(headings());
  for (const QuestionScore& score : scores) out += markdown_row(cells(score));
  return out + "\n" + std::string(kNote) + "\n" + goals_markdown(scores) + groups_markdown(scores) +
         lab_runs_markdown(lab_runs()) + published_traces_markdown(traces) + validation_markdown(plain);
}

std::string questions_json(const std::vector<QuestionScore>& scores) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const QuestionScore& score : scores) {
    const Asking& asking = score.question.asking;
    const GroupCounts n = counts(score);
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
