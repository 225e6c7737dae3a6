#include "validation/scores/validate.hpp"

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <new>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "scratch_folder.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/answers.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// A machine of 100 samples/s for each accelerator, 10 % slower above one, at 1 USD a second, 10 samples in all.
Prediction toy(const PredictRequest& request) {
  if (request.topology == "broken") throw Infeasible("16 GB are not enough");
  Prediction p;
  const double rate = 100.0 * request.accelerators * (request.accelerators > 1 ? 0.9 : 1.0);
  p.throughput = PerSecond(rate);
  p.step.time = Seconds(*request.global_batch / rate);
  p.speedup = rate / 100;
  p.scaling_efficiency = p.speedup / request.accelerators;
  p.interval.step_time = {p.step.time.value * 0.95, p.step.time.value * 1.05};
  // A tenth of a step above one accelerator is communication, of which half are all-to-alls.
  p.step.compute = 0.9 * p.step.time;
  if (request.accelerators > 1) {
    p.step.communication = p.step.exposed_communication = 0.1 * p.step.time;
    p.step.all_to_all = 0.05 * p.step.time;
  }
  p.distance = request.anchors.empty() ? "none" : request.anchors.front().id;
  if (request.topology == "free") return p;
  p.time_to_target = Seconds(1000 / rate);
  p.interval.time_to_target = Interval{900 / rate, 1100 / rate};
  p.cost = Usd(1000 / rate * request.accelerators);
  p.interval.cost = Interval{0.9 * p.cost->value, 1.1 * p.cost->value};
  return p;
}

Case a_case(const std::string& id, int accelerators, Metric metric, double value, const std::string& topology = "toy") {
  Case c;
  c.id = id;
  c.source = "Toy";
  c.topology = topology;
  c.accelerators = accelerators;
  c.workload = "toy-net";
  c.precision = Precision::fp32;
  c.global_batch = 32.0 * accelerators;
  c.metric = metric;
  c.value = value;
  c.place = "toy.csv:2";
  return c;
}

ValidationReport run(const std::vector<Case>& cases, int workers = 1, const ErrorBounds& bounds = {}) {
  ValidationOptions options;
  options.predictor = toy;
  options.answering.workers = workers;
  return validate_published(cases, options, bounds);
}

Case anchored(Case c) {
  c.role = Role::anchor;
  return c;
}

Case relative(Case c, const std::string& to) {
  c.relative_to = to;
  return c;
}

}  // namespace

TEST_CASE("each metric is read off the prediction") {
  const auto report =
      run({a_case("a", 8, Metric::throughput, 720), a_case("b", 8, Metric::step_time, 256 / 720.0),
           a_case("c", 8, Metric::speedup, 7.2), a_case("d", 8, Metric::scaling_efficiency, 0.9),
           a_case("e", 8, Metric::time_to_accuracy, 1000 / 720.0), a_case("f", 8, Metric::cost, 8000 / 720.0)});
  REQUIRE(report.cases.size() == 6);
  for (const CaseResult& r : report.cases) {
    INFO(r.what.id << " " << r.refusal);
    CHECK(r.relative_error() == Approx(0).margin(1e-12));
    CHECK(r.holds());
  }
  CHECK((*report.cases[0].interval)[0] == Approx(720 / 1.05));
  CHECK((*report.cases[0].interval)[1] == Approx(720 / 0.95));
  CHECK(exit_status(report) == 0);
}

TEST_CASE("speedup, efficiency and price ratio may be relative to another case") {
  const auto report =
      run({a_case("base", 2, Metric::throughput, 180), relative(a_case("s", 8, Metric::speedup, 4), "base"),
           relative(a_case("e", 8, Metric::scaling_efficiency, 1), "base"),
           relative(a_case("p", 8, Metric::price_ratio, 1), "base")});
  CHECK(*report.cases[1].predicted == Approx(4));
  CHECK(*report.cases[2].predicted == Approx(1));
  CHECK(*report.cases[3].predicted == Approx(1));
  // Both sides may be off by 10 % each way: the logarithms add in quadrature.
  const double down = std::hypot(std::log(0.9), std::log(1.1));
  CHECK((*report.cases[3].interval)[0] == Approx(std::exp(-down)));
}

TEST_CASE("shares are of the step, or of compute and all-to-alls") {
  const auto report =
      run({a_case("c", 8, Metric::communication_share, 0.1), a_case("s", 8, Metric::all_to_all_share, 1),
           a_case("t", 8, Metric::all_to_all_time, 1), a_case("none", 1, Metric::all_to_all_time, 1)});
  CHECK(*report.cases[0].predicted == Approx(0.1));
  CHECK(*report.cases[1].predicted == Approx(0.05 / 0.95));
  CHECK(*report.cases[2].predicted == Approx(0.05 * 256 / 720));
  CHECK_THAT(report.cases[3].refusal, ContainsSubstring("no all-to-all"));
}

TEST_CASE("a throughput or an all-to-all may be relative to another case, and that to itself") {
  auto reference = relative(a_case("ref", 2, Metric::relative_throughput, 1), "ref");
  reference.role = Role::input;
  const auto report = run({reference, relative(a_case("r", 8, Metric::relative_throughput, 4), "ref"),
                           relative(a_case("g", 16, Metric::all_to_all_growth, 1), "ref")});
  CHECK(*report.cases[0].predicted == Approx(1));
  CHECK(*report.cases[1].predicted == Approx(4));
  CHECK(*report.cases[2].predicted == Approx(1));  // the same batch a rank takes the toy the same time
  REQUIRE(report.groups.size() == 2);
  CHECK(report.groups[0].error.count == 1);
  CHECK_THAT(page_text(validation_page(report), {}), ContainsSubstring("  input"));
}

TEST_CASE("a collective by itself is answered by its schedule, not by a step") {
  const auto lone = [](const std::string& id, Metric metric, double value, const std::string& kind) {
    Case c = a_case(id, 4, metric, value, "gke-t4");
    c.workload = kind;
    c.global_batch.reset();
    c.payload = Bytes(1e8);
    c.options = options_of({{"algorithm", kind == "all-reduce" ? "ring" : "pairwise"}});
    return c;
  };
  // 0.6 of 7.5 Gbit/s are 562.5 MB/s: 1.5 payloads pass a rank's NIC, and six messages of 193.3 us beside a call of
  // 134.
  const double seconds = 1.5 * 1e8 / 562.5e6 + 6 * 193.3e-6 + 134e-6;
  Case growth = lone("growth", Metric::all_to_all_growth, 2, "all-to-all");
  growth.payload = Bytes(2e8);
  growth.relative_to = "a2a";
  const auto report = run({lone("time", Metric::all_reduce_time, seconds, "all-reduce"),
                           lone("bus", Metric::bus_bandwidth, 1e8 / seconds * 1.5, "all-reduce"),
                           lone("a2a", Metric::all_to_all_time, 0.75e8 / 562.5e6, "all-to-all"), growth});
  for (const CaseResult& r : report.cases) {
    INFO(r.what.id << " " << r.refusal);
    REQUIRE(r.predicted);
    CHECK(r.relative_error() == Approx(0).margin(0.01));
  }
  CHECK(report.cases[0].relative_error() == Approx(0).margin(1e-3));
}

TEST_CASE("a collective that cannot run is refused with the reason") {
  Case c = a_case("gloo", 16, Metric::all_reduce_time, 1, "dgx1-v100:nodes=2");
  c.workload = "all-reduce";
  c.payload = Bytes(1e6);
  c.options = options_of({{"communicator", "gloo"}});
  const auto report = run({c});
  CHECK_THAT(report.cases[0].refusal, ContainsSubstring("global-batch"));
  CHECK(exit_status(report) == 1);
}

TEST_CASE("the case that another is relative to may stand in the built-in tables or nowhere") {
  CHECK_THROWS_WITH(run({relative(a_case("s", 8, Metric::speedup, 4), "goyal2017-n8-throughputs")}),
                    ContainsSubstring("toy.csv:2") && ContainsSubstring("goyal2017-n8-throughput"));
  const auto report = run({relative(a_case("s", 8, Metric::speedup, 4), "goyal2017-n8-throughput")});
  CHECK(*report.cases[0].predicted == Approx(1));
}

TEST_CASE("a case that cannot be predicted is shown with the reason and fails the validation") {
  const auto report =
      run({a_case("big", 8, Metric::throughput, 1, "broken"), a_case("fine", 8, Metric::throughput, 720),
           a_case("cost", 8, Metric::cost, 1, "free"), a_case("ring", 8, Metric::bus_bandwidth, 1e9)});
  CHECK(report.cases[0].refusal == "16 GB are not enough");
  CHECK_FALSE(report.cases[0].predicted);
  CHECK_THAT(report.cases[2].refusal, ContainsSubstring("no price"));
  CHECK_THAT(report.cases[3].refusal, ContainsSubstring("not of a collective by itself"));
  CHECK(report.groups[0].refused == 1);
  CHECK(report.groups[0].error.count == 1);
  CHECK(exit_status(report) == 1);
  CHECK_THAT(page_text(validation_page(report), {}), ContainsSubstring("refused: 16 GB are not enough"));
}

TEST_CASE("anchors of the table come before the built-in ones, and a check never anchors anything") {
  const auto report = run({a_case("x", 8, Metric::throughput, 800), anchored(a_case("own", 1, Metric::throughput, 100)),
                           anchored(a_case("second", 1, Metric::throughput, 100))});
  CHECK(report.cases[0].distance.text == "own");
  CHECK(*report.cases[0].baselines[0] == 800);
}

TEST_CASE("a case asks for its own system and for anchors of its own source first") {
  const auto request = request_of(a_case("x", 8, Metric::throughput, 1), {}, {});
  CHECK(request.anchors.empty());
  CHECK(request.anchor_source == "Toy");
  CHECK(request.accelerators == 8);
}

TEST_CASE("several processes give the same report as one") {
  std::vector<Case> cases;
  for (int i = 1; i <= 23; ++i) cases.push_back(a_case("c" + std::to_string(i), i, Metric::throughput, 80.0 * i));
  cases.push_back(a_case("bad", 8, Metric::throughput, 1, "broken"));
  CHECK(to_json(run(cases, 4)) == to_json(run(cases, 1)));
  CHECK(to_json(run(cases, 4)) == to_json(run(cases, 3)));
}

namespace {

// The toy's questions of one to four accelerators.
std::vector<PredictRequest> four_questions() {
  std::vector<PredictRequest> questions(4);
  for (int i = 0; i < 4; ++i) {
    questions[i].accelerators = i + 1;
    questions[i].global_batch = 32;
  }
  return questions;
}

}  // namespace

TEST_CASE("a question that takes too long is refused alone") {
  const auto slow_at_four = [](const PredictRequest& q) {
    if (q.accelerators == 4) ::sleep(100);
    return toy(q);
  };
  AnswerOptions options;
  options.workers = 2;
  options.time_limit = Seconds(1);
  const auto found = answers(four_questions(), slow_at_four, options);
  for (const std::size_t i : {0, 1, 2}) CHECK(found[i].prediction);
  CHECK_THAT(found[3].refusal, ContainsSubstring("took longer than 1 s"));
}

TEST_CASE("a process that is killed or crashes and no memory refuse no question but end it all, with its name") {
  using Fault = std::function<void()>;
  const std::vector<Fault> faults{[] { ::kill(::getpid(), SIGKILL); }, [] { _exit(7); }, [] { throw std::bad_alloc(); },
                                  [] { throw ProcessCrashed("the simulation's process ended"); }};
  const auto with = [](const Fault& fault) {
    return [fault](const PredictRequest& q) {
      if (q.accelerators == 3) fault();
      return toy(q);
    };
  };
  AnswerOptions options;
  options.name = [](std::size_t question) { return "row-" + std::to_string(question); };
  for (const Fault& fault : faults) {
    CHECK_THROWS_AS(answers(four_questions(), with(fault), options), MachineFailed);
    CHECK_THROWS_WITH(answers(four_questions(), with(fault), options), StartsWith("row-2: "));
  }
  const auto refused =
      answers(four_questions(), with([] { throw InputError("--set overlap", "is no such word"); }), options);
  CHECK(refused[2].refusal == "--set overlap: is no such word");
}

TEST_CASE("a process that is killed changes nothing of the report") {
  const ScratchFolder folder;
  std::vector<Case> cases;
  for (int i = 1; i <= 23; ++i) cases.push_back(a_case("c" + std::to_string(i), i, Metric::throughput, 80.0 * i));
  cases.push_back(a_case("bad", 8, Metric::throughput, 1, "broken"));
  std::string said;
  ValidationOptions options;
  options.answering.workers = 3;
  options.answering.say = [&](const std::string& sentence) { said += sentence; };
  options.predictor = [&](const PredictRequest& request) {
    if (request.accelerators == 7 && std::filesystem::create_directory(folder.path("killed")))
      ::kill(::getpid(), SIGKILL);
    return toy(request);
  };
  CHECK(to_json(validate_published(cases, options, {})) == to_json(run(cases)));
  CHECK(said == "c7: the process that predicted it was ended by signal Killed; it is asked again");
}

TEST_CASE("an answer that is no number is refused") {
  ValidationOptions options;
  options.answering.workers = 1;
  options.predictor = [](const PredictRequest& request) {
    Prediction p = toy(request);
    p.throughput = PerSecond(std::nan(""));
    return p;
  };
  const auto report = validate_published({a_case("a", 8, Metric::throughput, 720)}, options, {});
  CHECK_THAT(report.cases[0].refusal, ContainsSubstring("nan"));
}
