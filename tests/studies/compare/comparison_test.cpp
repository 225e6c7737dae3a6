#include "studies/compare/comparison.hpp"

#include <algorithm>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "namespace.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "studies/compare/published_run.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

ComparedQuestion asked(const std::string& name, const std::string& topology, const std::string& settings = "") {
  ComparedQuestion question{name, {}};
  question.request.topology = topology;
  question.request.workload = "resnet50";
  question.request.options = parse_options(settings);
  question.request.builtin_profiles = builtin_profiles();
  question.request.anchors = published_anchors();
  return question;
}

const ComparedFigure& figure(const Comparison& comparison, const std::string& name) {
  const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                  [&](const ComparedFigure& f) { return f.name == name; });
  REQUIRE(found != comparison.figures.end());
  return *found;
}

std::vector<std::string> differing(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedInput& input : comparison.inputs)
    if (input.differs()) names.push_back(input.name);
  return names;
}

}  // namespace

TEST_CASE("a comparison has the figures of predict, the best of each and how far the others are from it") {
  const std::vector<ComparedQuestion> questions{asked("a", "dgx-a100"), asked("v", "dgx1-v100"),
                                                asked("four", "dgx-a100:nodes=4")};
  const Comparison comparison = compare(questions);
  const ComparedFigure& step = figure(comparison, "step time");
  const ComparedFigure& rate = figure(comparison, "throughput");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    Prediction alone = predict(questions[i].request);
    add_published_run(alone, questions[i].request);
    CHECK(to_json(*comparison.answers[i].prediction) == to_json(alone));
    CHECK(*step.values[i] == alone.step.time.value);
    CHECK(*step.intervals[i] == alone.interval.step_time);
    CHECK(*rate.values[i] == alone.throughput.value);
  }
  REQUIRE(rate.best == 2u);
  CHECK(*rate.ratio(2) == 1);
  CHECK(*rate.ratio(1) == *rate.values[2] / *rate.values[1]);
  CHECK(*step.ratio(*step.best) == 1);
  CHECK_FALSE(figure(comparison, "price").best);
}

TEST_CASE("what differs between compared questions is named, also what one says and the other does not") {
  std::vector<ComparedQuestion> questions{asked("plain", "dgx-a100"), asked("split", "dgx-a100", "accumulation=2")};
  for (ComparedQuestion& question : questions) question.request.batch_per_accelerator = 256;
  const Comparison settings = compare(questions);
  CHECK(differing(settings) == std::vector<std::string>{"accumulation"});
  std::vector<ComparedQuestion> sizes{asked("one", "dgx-a100"), asked("two", "dgx-a100:nodes=2")};
  for (ComparedQuestion& question : sizes) question.request.batch_per_accelerator = 256;
  const Comparison systems = compare(sizes);
  CHECK(differing(systems) == std::vector<std::string>{"accelerators", "global batch", "parallelism"});
}

TEST_CASE("an answer that is refused leaves the others standing, and has no figures") {
  ComparedQuestion large = asked("too large", "dgx1-v100");
  large.request.batch_per_accelerator = 100000;
  large.request.as_is = true;  // else it is computed in parts
  const Comparison comparison = compare({large, asked("usual", "dgx1-v100")});
  CHECK_FALSE(comparison.answers[0].prediction);
  CHECK_THAT(comparison.answers[0].refusal, ContainsSubstring("at most"));
  CHECK(comparison.answers[1].prediction);
  const ComparedFigure& step = figure(comparison, "step time");
  CHECK_FALSE(step.values[0]);
  CHECK_FALSE(step.best);  // it stands alone
  CHECK(differing(comparison).empty());
}

TEST_CASE("wrong input in a comparison names its column") {
  try {
    compare({asked("first", "dgx-a100"), asked("second", "dgx-a101")});
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK_THAT(e.what(), ContainsSubstring("\"second\"") && ContainsSubstring("dgx-a100"));
  }
}
