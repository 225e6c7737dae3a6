// The questions' page: coverage both ways, and groups without skill by name.
#include "reports/pages/pages.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "reports/renderers/renderers.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

TellingGroup toy_group(const std::string& source, double left_out, double with, double skill) {
  TellingGroup group;
  group.score.source = source;
  group.score.intervals = 10;
  group.score.error.count = 10;
  group.score.coverage = with;
  group.score.skill = skill;
  group.coverage_left_out = left_out;
  group.skill_judged = true;
  return group;
}

std::vector<QuestionScore> toy_scores() {
  QuestionScore asked{questions().front(), {}, {}, 0, 0, {}, {}}, plain{questions().back(), {}, {}, 0, 0, {}, {}};
  asked.groups = {toy_group("Toy boxes", 0.7, 0.9, 0.95)};
  plain.groups = {toy_group("Toy boxes", 0.9, 0.9, 0.5), toy_group("Toy pods", 0.83, 0.9, 1.2)};
  return {asked, plain};
}

}  // namespace

TEST_CASE("the page leads with coverage by group, the group left out, and names groups without skill") {
  const std::string page = page_markdown(accuracy_page(toy_scores(), {}, {}));
  CHECK_THAT(page, ContainsSubstring("| groups held | with own | no skill |"));
  CHECK_THAT(page, ContainsSubstring("| 0 of 1 | 1 of 1 | 1 of 1 |"));
  CHECK_THAT(page, ContainsSubstring("| group | metric | bare | in the table |"));
  CHECK_THAT(page, ContainsSubstring("| Toy boxes | throughput | 70 (90) * | 90 |"));
  CHECK_THAT(page, ContainsSubstring("| Toy pods | throughput | - | 83 (90) * |"));
  CHECK_THAT(page, ContainsSubstring("- no skill, bare: Toy boxes\n- no skill, in the table: Toy pods\n"));
  CHECK_THAT(page_text(questions_page(toy_scores()), {}), ContainsSubstring("no skill, in the table: Toy pods"));
}

TEST_CASE("JSON has each group's coverage both ways and its skill") {
  const auto json = nlohmann::json::parse(to_json(toy_scores()));
  CHECK(json[1]["groups_held_left_out"] == 2);
  CHECK(json[1]["groups_without_skill"] == 1);
  CHECK(json[1]["by_group"][1]["group"] == "Toy pods");
  CHECK(json[1]["by_group"][1]["coverage_left_out"] == 0.83);
  CHECK(json[1]["by_group"][1]["no_skill"] == true);
}

TEST_CASE("what is to be reached stands with what was, and says what misses") {
  std::vector<QuestionScore> scores = toy_scores();
  GoalScore goal{goals().front(), {}, 0.9};
  goal.error.count = 20;
  goal.error.median = 0.07;
  goal.error.p90 = 0.47;
  scores[0].goals = {goal};
  const std::string page = page_markdown(accuracy_page(scores, {}, {}));
  CHECK_THAT(page, ContainsSubstring(
                       "| MLPerf times from v1.0 on | 20 | 7.0 / 47 | 90 % | 7 / 35; 85-95 % held | not: P90 |"));
  CHECK_THAT(page_text(questions_page(scores), {}), ContainsSubstring("not: P90"));
  const auto json = nlohmann::json::parse(to_json(scores));
  CHECK(json[0]["goals"][0]["reached"] == false);
  CHECK(json[0]["goals"][0]["target_p90"] == 0.35);
  CHECK_FALSE(json[1].contains("goals"));
}
