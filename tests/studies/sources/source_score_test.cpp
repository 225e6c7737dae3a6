// Figures of the sources: how their table is read, and how answers to it are scored.
#include "studies/sources/source_score.hpp"
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::studies;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kHeader = "item,document,says,way,figure,asks,published,kind,role,citation\n";

std::vector<SourceFigure> figures(const std::string& rows) { return parse_source_figures(kHeader + rows, "t.csv"); }

// Answers "give NUMBER" with {"value": NUMBER}, refuses "refuse" in JSON, and knows no other command.
std::string answer(const std::vector<std::string>& words) {
  REQUIRE(std::vector<std::string>(words.end() - 2, words.end()) == std::vector<std::string>{"--format", "json"});
  if (words[0] == "give") return "{\"value\": " + words[1] + "}";
  if (words[0] == "refuse") return R"({"reason": "needs more memory"})";
  throw InputError("unknown command \"" + words[0] + "\"");
}

std::vector<ItemScore> scored(const std::string& rows) { return score_sources(figures(rows), answer); }

SourceScore only_figure(const std::string& row) {
  const auto items = scored(row);
  REQUIRE(items.size() == 1);
  REQUIRE(items.front().figures.size() == 1);
  return items.front().figures.front();
}

std::string row(const std::string& asks, const std::string& figure, const std::string& published_and_kind) {
  return "i,d,says,best," + figure + "," + asks + "," + published_and_kind + ",check,text\n";
}

}  // namespace

TEST_CASE("a figure of a source works within 10 %, is near within 25 %, and off beyond") {
  const auto verdict = [](const std::string& comes) {
    return only_figure(row("give " + comes, "a->>'$.value'", "100,figure")).verdict();
  };
  CHECK(verdict("110") == SourceVerdict::works);
  CHECK(verdict("89.9") == SourceVerdict::near);
  CHECK(verdict("75") == SourceVerdict::near);
  CHECK(verdict("126") == SourceVerdict::off);
  CHECK(only_figure(row("give 90", "a->>'$.value'", "100,figure")).error() == Approx(-0.1));
}

TEST_CASE("a figure is an expression of the answers to its commands") {
  const auto ratio = only_figure(row("give 30 // give 4", "(a->>'$.value') * 1.0 / (b->>'$.value')", "7.5,figure"));
  CHECK(ratio.comes == 7.5);
  CHECK(ratio.what.asks == std::vector<std::string>{"give 30", "give 4"});
}

TEST_CASE("a claim holds or not, and what is published nowhere has only to be answered") {
  CHECK(only_figure(row("give 31", "(a->>'$.value') < 32", ",claim")).verdict() == SourceVerdict::works);
  CHECK(only_figure(row("give 33", "(a->>'$.value') < 32", ",claim")).verdict() == SourceVerdict::off);
  CHECK(only_figure(row("give 33", "a->>'$.value'", ",answered")).verdict() == SourceVerdict::answered);
  CHECK(only_figure(row("refuse", "a->>'$.value'", ",answered")).verdict() == SourceVerdict::not_expressible);
  CHECK(only_figure(row("refuse", "a->>'$.value'", ",refused")).verdict() == SourceVerdict::works);
  CHECK(only_figure(row("give 0", "a->>'$.value'", ",refused")).verdict() == SourceVerdict::works);
  CHECK(only_figure(row("give 1", "a->>'$.value'", ",refused")).verdict() == SourceVerdict::off);
}

TEST_CASE("what is refused cannot be said, for the reason that the command gives") {
  const auto unknown = only_figure(row("sing", "a->>'$.value'", "1,figure"));
  CHECK(unknown.verdict() == SourceVerdict::not_expressible);
  CHECK(unknown.refusal == "unknown command \"sing\"");
  CHECK(only_figure(row("refuse", "a->>'$.value'", "1,figure")).refusal == "needs more memory");
  CHECK(only_figure(row("give 1", "a->>'$.time'", "1,figure")).refusal == "the answer does not say it");
}

TEST_CASE("an item goes by most of its figures, and by the worse where they are even") {
  const std::string works = row("give 1", "a->>'$.value'", "1,figure"),
                    off = row("give 2", "a->>'$.value'", "1,figure");
  CHECK(scored(works + works + off).front().verdict() == SourceVerdict::works);
  CHECK(scored(works + off).front().verdict() == SourceVerdict::off);
  const auto both = scored(works + "i,d,says,plain,a->>'$.value',give 2,1,figure,check,text\n");
  REQUIRE(both.size() == 2);
  CHECK(both[1].way == AskedWay::plain);
  CHECK(both[1].verdict() == SourceVerdict::off);
}

TEST_CASE("a table of sources names file, line and column of what is wrong in it") {
  const std::string good = row("give 1", "a->>'$.value'", "1,figure");
  CHECK_THROWS_WITH(figures(good + row("give 1", "a", ",figure")), "t.csv:3: column \"published\": is empty");
  CHECK_THROWS_WITH(figures(row("give 1", "a", "1,claim")), "t.csv:2: column \"published\": is of figures alone");
  CHECK_THROWS_WITH(figures("i,d,says,bst,a,give 1,1,figure,check,text\n"),
                    ContainsSubstring("t.csv:2: column \"way\"") && ContainsSubstring("best"));
  CHECK_THROWS_WITH(parse_source_figures("item,documnt\n", "t.csv"), ContainsSubstring("document"));
  CHECK_THROWS_WITH(scored(row("give 1", "a->>", "1,figure")), ContainsSubstring("t.csv:2: column \"figure\""));
}

TEST_CASE("an input says which constants it sets, and nothing else does") {
  const std::string header = "item,document,says,way,figure,asks,published,kind,role,citation,sets\n";
  const auto read = [&](const std::string& role_and_rest) {
    return parse_source_figures(header + "i,d,says,best,a,give 1,1,figure," + role_and_rest + "\n", "t.csv");
  };
  CHECK(read("anchor,text,anchor x;law y").front().sets == std::vector<std::string>{"anchor x", "law y"});
  CHECK_THROWS_WITH(read("check,text,anchor x"), "t.csv:2: column \"sets\": is of anchors alone");
  for (const SourceFigure& figure : source_figures()) {
    INFO(figure.place);
    CHECK(figure.anchor == !figure.sets.empty());
  }
}

TEST_CASE("a cause is of an item of the table") {
  std::set<std::string> items;
  for (const SourceFigure& figure : source_figures()) items.insert(figure.item);
  for (const auto& [item, cause] : source_causes()) {
    INFO(item);
    CHECK(items.contains(item));
  }
}

TEST_CASE("every figure of the sources' table has a document, a citation and at least one command") {
  for (const SourceFigure& figure : source_figures()) {
    INFO(figure.place);
    CHECK_FALSE(figure.asks.empty());
  }
  CHECK(source_figures().size() > 150);
}
