#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

// 3 where this build has no Chart.js.
bool is_html(const ProgramRun& run, const std::string& path) {
  if (run.code == 3) {
    CHECK_THAT(run.err, ContainsSubstring("libjs-chart.js"));
    CHECK(!std::filesystem::exists(path));
    return false;
  }
  CHECK(run.err.empty());
  REQUIRE(run.code == 0);
  return true;
}

const std::string kPredicted = "predict --topology dgx-a100 --workload resnet50 ";

}  // namespace

TEST_CASE("a report writes a page beside the answer, the same from run to run, and leaves the answer as it is") {
  const ScratchFolder folder;
  const std::string page = folder.path("page.html"), again = folder.path("again.html");
  const ProgramRun run = run_mlsim(kPredicted + "--quiet --report " + page);
  if (!is_html(run, page)) return;
  CHECK(run.out == run_mlsim(kPredicted + "--quiet").out);
  const std::string text = text_of(page);
  CHECK(text.size() < 2u << 20);
  CHECK_THAT(text, ContainsSubstring("takes 34.2\u00a0min") && ContainsSubstring("--report " + page) &&
                       ContainsSubstring("id=\"table-candidates\""));
  run_mlsim(kPredicted + "--quiet --report " + again);
  std::string other = text_of(again);
  for (std::size_t at; (at = other.find(again)) != std::string::npos;) other.replace(at, again.size(), page);
  CHECK(other == text);
}

TEST_CASE("a report to FILE.md has the page's tables") {
  const ScratchFolder folder;
  const std::string page = folder.path("page.md");
  REQUIRE(run_mlsim(kPredicted + "--quiet --report " + page).code == 0);
  const std::string text = text_of(page);
  CHECK_THAT(text, ContainsSubstring("# resnet50 on 8 \u00d7 a100-sxm4-40gb") &&
                       ContainsSubstring("## How it scales") && ContainsSubstring("## Time against cost") &&
                       ContainsSubstring("| 8 |") &&
                       ContainsSubstring("    mlsim predict --topology dgx-a100 --workload resnet50"));
}

TEST_CASE("a page may overwrite no input and no other output, and its ending says what it is") {
  const ScratchFolder folder;
  const std::string machine = folder.file("m.md", text_of(MLSIM_SOURCE_DIR "/examples/own-machine/workstation.yaml"));
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    const ProgramRun run = run_mlsim(arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, ContainsSubstring(part));
  };
  refused("predict --workload resnet50 --topology " + machine + " --report " +
              folder.path("../" + folder.path().filename().string() + "/m.md"),
          "is read by --topology");
  refused(kPredicted + "--output " + folder.path("a.md") + " --report " + folder.path("a.md"), "is written by");
  refused(kPredicted + "--report " + folder.path("a.htm"), ".html");
  refused(kPredicted + "--report ''", "--report");
  refused("validate convergence --report " + folder.path("a.md"), "unknown option \"--report\"");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a page that cannot be written leaves no answer's file either") {
  const ScratchFolder folder;
  const ProgramRun run =
      run_mlsim(kPredicted + "--quiet --output " + folder.path("a.txt") + " --report " + folder.path("no/p.md"));
  CHECK(run.code == 2);
  CHECK(folder.entries() == 0);
}

TEST_CASE("report makes a page of saved answers, side by side where there are several") {
  const ScratchFolder folder;
  const std::string one = folder.path("one.json"), two = folder.path("two.json"), page = folder.path("page.md");
  REQUIRE(run_mlsim(kPredicted + "--format json --output " + one).code == 0);
  REQUIRE(run_mlsim("compare dgx-a100:nodes=2 no-such-price --workload resnet50").code == 2);
  REQUIRE(run_mlsim("compare dgx-a100:nodes=2 dgx1-v100 --workload resnet50 --format json --output " + two).code == 0);
  REQUIRE(run_mlsim("report " + one + " --output " + page).code == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("# resnet50 on 8"));
  REQUIRE(run_mlsim("report " + one + " " + two + " --format markdown --output " + page).code == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("3 answers compared") && ContainsSubstring("dgx1-v100"));
  const ProgramRun other = run_mlsim("report " + one + " --format html --output " + page);
  CHECK(other.code == 2);
  CHECK_THAT(other.err, ContainsSubstring("--format: html is not what the ending of") && ContainsSubstring("page.md"));
  CHECK_THAT(run_mlsim("report " + two + " --format markdown").out, ContainsSubstring("2 answers compared"));
}

TEST_CASE("what is no saved result is refused with file and reason, and no page is written") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& text, const std::string& part) {
    const std::string result = folder.file("r.json", text);
    const ProgramRun run = run_mlsim("report " + result + " --output " + folder.path("p.md"));
    CHECK(run.code == 2);
    CHECK_THAT(run.err, ContainsSubstring(result) && ContainsSubstring(part));
    CHECK(!std::filesystem::exists(folder.path("p.md")));
  };
  refused("", "no JSON");
  refused("{\"answers\": [", "no JSON");
  refused("[]", "no result");
  refused("{\"answers\": []}", "no answers");
  refused("{\"answers\": [{\"name\": 1}]}", "no whole result");
  refused("{\"answers\": [{\"name\": \"a\", \"prediction\": {}}]}", "answers[0].prediction");
  refused("{\"cases\": [{\"id\": \"a\"}], \"groups\": []}", "group");
  refused("{\"inputs\": {}, \"step\": {}}", "inputs");
  refused("{\"goal\": {}, \"front\": []}", "is a plan");
  CHECK(run_mlsim("report").code == 2);
  CHECK(run_mlsim("report " + folder.path("none.json") + " --output p.md").code == 2);
  const std::string self = folder.file("self.md", "{}");
  CHECK_THAT(run_mlsim("report " + self + " --output " + self).err, ContainsSubstring("is read by RESULT"));
}

TEST_CASE("a plan's page says how the chosen one scales, what its step is made of and what others measured") {
  const ScratchFolder folder;
  const std::string page = folder.path("p.md");
  REQUIRE(
      run_mlsim("plan --workload resnet50 --topology dgx-a100 --most-accelerators 16 --deadline 2h --quiet --report " +
                page)
          .code == 0);
  CHECK_THAT(text_of(page),
             ContainsSubstring("## How the chosen one scales") && ContainsSubstring("## The step from begin to end") &&
                 ContainsSubstring("## What more of a resource would save") && ContainsSubstring("Published"));
}

TEST_CASE("a sweep has a page, from its store too") {
  const ScratchFolder folder;
  const std::string store = folder.path("s.sqlite"), page = folder.path("p.md"), again = folder.path("q.md");
  const std::string sweep =
      "sweep --topology dgx-a100,dgx1-v100 --accelerators 1..8 --workload resnet50 --quiet --output ";
  REQUIRE(run_mlsim(sweep + store + " --report " + page).code == 0);
  const std::string text = text_of(page);
  CHECK_THAT(text, ContainsSubstring("# A sweep of 8 points") && ContainsSubstring("8 answered") &&
                       ContainsSubstring("| dgx1-v100 | 8 |") && ContainsSubstring("## Time against cost") &&
                       ContainsSubstring("Price at which each costs as much as the cheapest"));
  REQUIRE(run_mlsim("report " + store + " --output " + again).code == 0);
  const std::string saved = text_of(again);
  CHECK(saved.substr(0, saved.find("## The command")) == text.substr(0, text.find("## The command")));
  CHECK(run_mlsim(sweep + store + " --report " + store + ".htm").code == 2);
}

TEST_CASE("a plan has a page, whether something meets its goal or nothing does") {
  const ScratchFolder folder;
  const std::string page = folder.path("p.md");
  const std::string plan = "plan --workload resnet50 --topology dgx-a100,dgx1-v100 --quiet --report " + page;
  REQUIRE(run_mlsim(plan + " --deadline 2h").code == 0);
  CHECK_THAT(text_of(page), ContainsSubstring("Rent dgx-a100 with 8 accelerators") &&
                                ContainsSubstring("## Time against cost") &&
                                ContainsSubstring("## Assumptions and sources"));
  REQUIRE(run_mlsim(plan + " --deadline 1s").code == 1);
  CHECK_THAT(text_of(page), ContainsSubstring("No system meets this: resnet50"));
}
