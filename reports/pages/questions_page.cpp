#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/figure_text.hpp"
#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

// Writes median and 90th percentile in percent: "7.1 / 47".
std::string pair_text(const ErrorSummary& error) {
  return error.count > 0 ? fmt::format("{:.1f} / {:.0f}", 100 * error.median, 100 * error.p90) : "-";
}

std::string held_text(const GroupScore& score) {
  return score.intervals > 0 ? fmt::format("{:.0f} %", 100 * score.coverage) : "-";
}

std::string of_text(std::size_t some, std::size_t all) { return all > 0 ? fmt::format("{} of {}", some, all) : "-"; }

// Writes "2 100 of 2 303" rates and times.
std::string answered_text(const QuestionScore& s) {
  const int answered = s.throughput.error.count + s.time.error.count;
  return fmt::format("{} of {}", figure_text(double(answered)),
                     figure_text(double(answered + s.throughput.refused + s.time.refused)));
}

// Names the groups without skill, "DLPerf V100 1 node, MLBench CPU"; empty where all that can be judged have some.
std::string without_skill(const QuestionScore& s) {
  std::string names;
  for (const TellingGroup& group : s.groups)
    if (group.without_skill()) names += (names.empty() ? "" : ", ") + group.score.source;
  return names;
}

TableCells question_row(const QuestionScore& s) {
  const auto& by = s.throughput.baselines;
  const GroupCounts n = group_counts(s);
  return {s.question.text,
          answered_text(s),
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

constexpr const char* kNote =
    "answered: of rates and times. Errors in %, median / P90, of throughput (rate) and of time to accuracy; held: "
    "share of the 90 % intervals that "
    "hold the published value. linear, x 0.97, 3 terms: the errors of the baselines, on the rows that they answer from "
    "what the question leaves of their family. groups held: of ten checks and more, those that hold 80 % and more, of "
    "intervals whose width the group's own checks had no part in; with own: of those that are answered. no skill: "
    "groups whose median error is 0.8 of the best baseline's or more.";

// Writes "8.0 / 35; 85-95 % held".
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

TableCells goal_row(const QuestionScore& s, const GoalScore& score) {
  return {s.question.text,
          score.goal.text,
          count_cell(score.error.count),
          pair_text(score.error),
          score.goal.held && score.error.count > 0 ? fmt::format("{:.0f} %", 100 * score.coverage) : "-",
          target_text(score.goal),
          score.error.count > 0 ? reached_text(score) : "-"};
}

// Writes "83 (90) *".
std::string coverage_text(const TellingGroup& group) {
  const double left_out = std::round(100 * group.coverage_left_out), with = std::round(100 * group.score.coverage);
  return fmt::format("{:.0f}{}{}", left_out, with == left_out ? "" : fmt::format(" ({:.0f})", with),
                     group.without_skill() ? " *" : "");
}

// The list has an item for each question that leaves groups without skill.
PageList no_skill_list(const std::vector<QuestionScore>& scores) {
  PageList list;
  for (const QuestionScore& s : scores)
    if (const std::string names = without_skill(s); !names.empty())
      list.items.push_back(fmt::format("no skill, {}: {}", s.question.name, names));
  return list;
}

Table questions_table(const std::vector<QuestionScore>& scores) {
  Table table =
      table_of(word_columns("question"), figure_columns("answered", "rate", "held", "linear", "x 0.97", "3 terms",
                                                        "time", "time held", "groups held", "with own", "no skill"));
  for (const QuestionScore& score : scores) table.rows.push_back(question_row(score));
  return table;
}

Table goals_table(const std::vector<QuestionScore>& scores) {
  Table table = table_of(word_columns("question", "of"), figure_columns("rows", "error", "held", "target", "reached"));
  for (const QuestionScore& score : scores)
    for (const GoalScore& goal : score.goals) table.rows.push_back(goal_row(score, goal));
  return table;
}

// The table has a row for each group that some question was asked of, in the order of the plain one's, which has all.
Table coverage_table(const std::vector<QuestionScore>& scores) {
  Table table{"coverage", "", {{"group"}, {"metric"}}};
  for (const QuestionScore& s : scores) table.columns.push_back(figure_column(s.question.name));
  for (const TellingGroup& group : scores.back().groups) {
    TableCells& row = table.rows.emplace_back(TableCells{group.score.source, metric_words(group.score.metric)});
    for (const QuestionScore& s : scores) {
      const auto same = std::find_if(s.groups.begin(), s.groups.end(), [&](const TellingGroup& g) {
        return g.score.source == group.score.source && g.score.metric == group.score.metric;
      });
      row.emplace_back(same == s.groups.end() ? "-" : coverage_text(*same));
    }
  }
  return table;
}

}  // namespace

Page questions_page(const std::vector<QuestionScore>& scores) {
  Page page;
  page.add({PageTable{questions_table(scores)}});
  page.add({PageText{kNote}});
  if (PageList list = no_skill_list(scores); !list.items.empty()) page.add({std::move(list)});
  page.add({PageTable{goals_table(scores)}});
  return page;
}

Page accuracy_page(const std::vector<QuestionScore>& scores, const PublishedTraceResults& traces,
                   const ValidationReport& plain) {
  Page page{"Accuracy",
            {"Generated by `mlsim validate questions`; do not edit. A prediction is worth what it is worth to somebody "
             "who cannot name a sibling of the run: the hard questions come first, the easy one last."},
            {},
            ""};
  page.add({PageTable{questions_table(scores)}, PageText{kNote}});
  page.sections.push_back({"goals", "What it is to reach", {PageTable{goals_table(scores)}}});
  page.sections.push_back(
      {"coverage",
       "Coverage by group, the group left out",
       {PageText{
            "Shares of the 90 % intervals that hold, in %, with widths that the group's own checks had no part in; "
            "in brackets as answered, where that differs. An asterisk: no skill. Groups of ten checks and more."},
        PageTable{coverage_table(scores)}, no_skill_list(scores)}});
  page.sections.push_back(lab_runs_section(lab_runs()));
  page.sections.push_back(traces_section(traces));
  for (PageSection& section : published_sections(plain)) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace mlsim::reports
