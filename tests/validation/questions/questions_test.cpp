// The hard questions: what they hide, and from what the rest is answered.
#include "validation/questions/questions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/speed_table.hpp"
#include "validation/scores/row_figures.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Case run(const std::string& id, const std::string& topology, int accelerators, const std::string& stack,
         const std::string& workload = "resnet50") {
  Case c;
  c.id = id;
  c.publisher = id.substr(0, id.find('-'));
  c.source = "Toy";
  c.topology = topology;
  c.accelerators = accelerators;
  c.workload = workload;
  c.precision = Precision::fp16;
  c.global_batch = 64.0 * accelerators;
  c.options = parse_options(stack.empty() ? "" : "stack=" + stack);
  c.value = 1000.0 * accelerators;
  c.role = Role::anchor;
  return c;
}

bool sees(const Asking& asking, const Case& c, const Case& other) {
  return EvidenceShelf(asking, {}, {}).sees(c, other);
}

bool sees(Hidden hidden, const Case& c, const Case& other) {
  return sees({Telling::as_stated, hidden, AnchorSizes::all}, c, other);
}

bool is_asked(const Asking& asking, const Case& c) {
  NodeCounts nodes;
  return asked_of(asking, c, nodes);
}

// Mathematical libraries may differ in a last digit.
bool same_levels(const std::map<std::string, double>& stored, const std::map<std::string, double>& fitted) {
  return std::equal(stored.begin(), stored.end(), fitted.begin(), fitted.end(), [](const auto& a, const auto& b) {
    return a.first == b.first && std::abs(a.second - b.second) < 1e-9;
  });
}

}  // namespace

TEST_CASE("each way of hiding takes away what it names and leaves the rest") {
  const Case c = run("mlperf-a", "dgx-a100:nodes=2", 16, "mlperf-v1.0");
  const Case sibling = run("mlperf-b", "dgx-a100", 8, "mlperf-v1.0"),
             older = run("mlperf-c", "dgx2", 16, "mlperf-v0.7");
  Case other = run("dle-a", "dgx1-v100", 8, "dle-mxnet", "vgg16");
  other.source = "Other";
  CHECK(sees(Hidden::nothing, c, sibling));
  CHECK_FALSE(sees(Hidden::own, c, sibling));
  CHECK(sees(Hidden::own, c, other));
  CHECK_FALSE(sees(Hidden::table, c, older));
  CHECK(sees(Hidden::table, c, other));
  CHECK_FALSE(sees(Hidden::network, c, older));
  CHECK(sees(Hidden::network, c, other));
  CHECK_FALSE(sees(Hidden::chip, c, sibling));
  CHECK(sees(Hidden::chip, c, older));
  CHECK_FALSE(sees(Hidden::release, c, sibling));
  CHECK(sees(Hidden::release, c, older));
  CHECK_FALSE(sees(Hidden::era, c, sibling));
  CHECK(sees(Hidden::era, c, older));
  CHECK(sees(Hidden::era, c, other));
}

TEST_CASE("chips of one speed are hidden together") {
  CHECK_FALSE(sees(Hidden::chip, run("a", "dgx1-v100", 8, ""), run("b", "dgx1-v100-16gb", 8, "")));
}

TEST_CASE("anchors on one box are those of one node, and cases of several are asked") {
  const Asking asking{Telling::as_stated, Hidden::nothing, AnchorSizes::one_box};
  const Case large = run("a", "dgx-a100:nodes=4", 32, ""), small = run("b", "dgx-a100", 8, "");
  CHECK(sees(asking, large, small));
  CHECK_FALSE(sees(asking, large, large));
  CHECK(is_asked(asking, large));
  CHECK_FALSE(is_asked(asking, small));
  CHECK(NodeCounts().of("no-such-machine", 8) == 1);
}

TEST_CASE("only rows of MLPerf are asked from earlier rounds, and none whose rate is given is asked the hard way") {
  const Asking era{Telling::as_stated, Hidden::era, AnchorSizes::all};
  CHECK(is_asked(era, run("mlperf-a", "dgx-a100", 8, "mlperf-v1.0")));
  CHECK_FALSE(is_asked(era, run("dle-a", "dgx-a100", 8, "dle-mxnet")));
  Case given = run("mlperf-a", "dgx-a100", 8, "mlperf-v1.0");
  given.options = parse_options("stack=mlperf-v1.0;throughput=100");
  CHECK_FALSE(is_asked(era, given));
  CHECK(is_asked({}, given));
}

TEST_CASE("bare, a language model's step is asked as the rate that it made, the quickest of its system and size") {
  const Asking bare{Telling::bare, Hidden::nothing, AnchorSizes::all};
  Case step = run("llm-a", "dgx-h100", 8, "nemo", "llama-3-8b:sequence=4096");
  step.place = "llm_some.csv:2";
  step.metric = Metric::step_time;
  step.global_batch = 64;
  step.value = 4;
  const Case rate = as_rate(step);
  CHECK(rate.metric == Metric::throughput);
  CHECK(rate.value == 16);
  CHECK(is_asked(bare, rate));
  CHECK_FALSE(is_asked({Telling::in_earnest, Hidden::nothing, AnchorSizes::all}, step));
  Case quicker = rate, wide = rate, image = run("a", "dgx-h100", 8, "");
  quicker.value = 20;
  CHECK(quickest_of_each({&rate, &quicker}) == std::vector<const Case*>{&quicker});
  wide.precision = Precision::fp32;
  CHECK_FALSE(is_asked(bare, wide));  // nobody runs it unasked
  image.metric = Metric::step_time;
  CHECK(as_rate(image).metric == Metric::step_time);
}

TEST_CASE("a planner names no software, recipe, optimizer or data") {
  sim::PredictRequest request;
  request.options = parse_options("stack=mlperf-v1.0;optimizer=lars;data=real;recipe=any;overlap=off");
  request.anchor_source = "MLPerf";
  const sim::PredictRequest plain = told(request, Telling::as_asked);
  CHECK(plain.options == parse_options("overlap=off"));
  CHECK(plain.anchor_source.empty());
}

TEST_CASE("constants go with the tables that they stem from") {
  const auto profiles = builtin_profiles();
  const std::vector<Case> cases{run("dle-a", "dgx-a100", 1, "dle-mxnet"),
                                run("mlperf-a", "dgx-a100", 8, "mlperf-v1.0")};
  const auto term = [](const CaseEvidence& evidence, const std::string& stack) {
    for (const Profile& profile : evidence.profiles)
      if (profile.accelerator == "a100-sxm4-40gb")
        for (const StackTerm& each : profile.stacks)
          if (each.stack == stack && each.family.empty()) return each;
    return StackTerm{};
  };
  EvidenceShelf plain({}, cases, profiles), own({Telling::as_stated, Hidden::own, {}}, cases, profiles);
  CHECK(term(plain.of(cases[0]), "dle").per_kernel > Seconds(0));
  CHECK(term(own.of(cases[0]), "dle").per_kernel == Seconds(0));
  CHECK(term(own.of(cases[0]), "dle").contention == term(plain.of(cases[0]), "dle").contention);  // of four publishers
  CHECK(term(plain.of(cases[1]), "mlperf-v1.0").dispatch > Seconds(0));
  CHECK(term(own.of(cases[1]), "mlperf-v1.0").dispatch == Seconds(0));
  EvidenceShelf era({Telling::as_stated, Hidden::era, {}}, cases, profiles);
  CHECK(term(era.of(cases[1]), "mlperf-v1.0").stack.empty());
  CHECK(term(era.of(cases[1]), "mlperf-v0.7").stack == "mlperf-v0.7");
}

TEST_CASE("the three baselines answer from the family's anchor") {
  const std::vector<Case> cases{run("a", "dgx-a100", 1, "dle-mxnet"), run("b", "dgx-a100", 8, "dle-mxnet")};
  const BaselineAnswers of_eight = Baselines().of(cases[1], nullptr, {cases[0]}, builtin_profiles());
  CHECK(*of_eight[0] == 8000);
  CHECK(*of_eight[1] == Approx(0.97 * 8000));
  CHECK(*of_eight[2] < 8000);        // a ring on top
  CHECK(*of_eight[2] > 0.9 * 8000);  // over NVLink
  const BaselineAnswers of_one = Baselines().of(cases[0], nullptr, {cases[0]}, builtin_profiles());
  for (const auto& answer : of_one) CHECK(*answer == Approx(1000));
  CHECK_FALSE(Baselines().of(cases[1], nullptr, {}, builtin_profiles())[0]);
}

TEST_CASE("the stored effects on speeds are those that the anchors' speeds give") {
  for (const SpeedPopulation population :
       {SpeedPopulation::graph_networks, SpeedPopulation::tpus, SpeedPopulation::others}) {
    INFO("mlsim validate speeds --output validation/published/derived/speed_effects.csv");
    const SpeedEffects stored = stored_speed_effects(population), fitted = fit_speeds(published_anchors(), population);
    REQUIRE(stored.runs == fitted.runs);
    CHECK(stored.mean == Approx(fitted.mean));
    CHECK(same_levels(stored.usual_software, fitted.usual_software));
    CHECK(same_levels(stored.usual_network, fitted.usual_network));
    for (std::size_t t = 0; t < kSpeedTraits; ++t) CHECK(same_levels(stored.of_trait[t], fitted.of_trait[t]));
  }
}

TEST_CASE("the speeds that the prior is fitted on are those that the anchors give") {
  const auto speeds = anchor_speeds(published_cases(), builtin_profiles());
  std::map<std::string, double> found;
  for (const RowFigure& each : speeds) found[each.id] = each.value;
  int stored = 0;
  for (const ParsedAnchor& anchor : published_anchors()) {
    INFO(anchor.id << ": mlsim validate anchors --output validation/published/derived/anchor_speeds.csv");
    REQUIRE(found.contains(anchor.id));  // an anchor that cannot be asked would refuse the questions that lean on it
    REQUIRE(anchor.kernel_speed);
    CHECK(*anchor.kernel_speed == Approx(found[anchor.id]).epsilon(0.01));
    ++stored;
  }
  CHECK(stored > 900);
}
