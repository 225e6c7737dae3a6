// Real runs that others recorded, replayed, and what is known of them.
#include "replay/validation/published_traces.hpp"

#include <array>
#include <cmath>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "replay/validation/recorded_steps.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const PublishedTraceResults& results() {
  static const PublishedTraceResults all = validate_published_traces(builtin_profiles());
  return all;
}

const TraceValidation& validation_of(const std::string& id) {
  for (const PublishedTraceResult& result : results().traces)
    if (result.trace.id == id) return result.validation;
  throw std::out_of_range(id);
}

RecordedRun steps_of(const std::string& id) {
  const std::string path = MLSIM_SOURCE_DIR "/validation/published/traces/" + id + ".csv";
  return parse_recorded_steps(read_text_file(path), path);
}

// The one of that kind and size.
const CollectiveReplay& collective(const std::string& trace, CollectiveKind kind, double bytes) {
  for (const CollectiveReplay& each : validation_of(trace).collectives)
    if (each.what.kind == kind && each.what.payload == Bytes(bytes)) return each;
  throw std::out_of_range(trace);
}

double ms(Seconds time) { return time.value * 1e3; }

}  // namespace

TEST_CASE("no published trace is worse than what is stated of it") {
  REQUIRE(results().traces.size() == 5);
  REQUIRE(results().pipelines.size() == 7);
  for (const PublishedTraceResult& result : results().traces) {
    INFO(result.trace.id);
    CHECK_FALSE(result.missed());
    CHECK(result.trace.citation.find("(MIT)") != std::string::npos);
    if (result.trace.topology.empty()) continue;
    CHECK(result.validation.collectives_missed() == static_cast<std::size_t>(result.trace.missed));
  }
  CHECK(exit_status(results()) == 0);
}

TEST_CASE("a published step's parts are those that are known of it") {
  struct KnownStep {
    const char* id;
    double step, compute, collective, copy;  // ms, means over its steps
  };
  // Sums over the whole traces by a script of another hand, which is no part of this project.
  for (const KnownStep& known :
       {KnownStep{"resnet50_1xv100", 95.67, 93.70, 0, 0.854}, KnownStep{"resnet50_2xa100", 222.4, 38.55, 15.63, 0.8845},
        KnownStep{"recommender_16xa100", 216.1, 36.00, 33.72, 8.958},
        KnownStep{"recommender_8xa100", 77.53, 46.89, 27.26, 9.106}}) {
    INFO(known.id);
    const RankReplay& rank = validation_of(known.id).ranks.front();
    CHECK(ms(rank.recorded.time) == Approx(known.step).epsilon(0.02));
    CHECK(ms(rank.recorded.sums.compute) == Approx(known.compute).epsilon(0.02));
    CHECK(ms(rank.recorded.sums.collective) == Approx(known.collective).epsilon(0.25));  // waiting differs by step
    CHECK(ms(rank.recorded.sums.copy) == Approx(known.copy).epsilon(0.1));
  }
}

TEST_CASE("ResNet-50's step on one V100 follows from its own kernels, and from laws that never saw it") {
  const TraceValidation& validation = validation_of("resnet50_1xv100");
  CHECK(std::abs(validation.own_error()) < 0.03);
  CHECK(ms(validation.ranks.front().unexplained) == 0);  // nothing of it is taken over as it was
  REQUIRE(validation.by_laws);
  CHECK(std::abs(*validation.by_laws / validation.ranks.front().recorded.time - 1) < 0.1);
}

TEST_CASE("DDP's buckets of ResNet-50 are those of our rule, in their order") {
  std::vector<double> recorded;
  const RecordedRun run = steps_of("resnet50_2xa100");
  const RankTrace& trace = run.ranks.front().trace;
  for (const RecordedSpan& span : trace.spans)
    if (span.collective && span.collective->kind == CollectiveKind::all_reduce)
      recorded.push_back(span.collective->payload->value / 4);
  CHECK(recorded == std::vector<double>{2049000, 7875584, 6563840, 6637568, 2431040});
  std::vector<double> ours;
  for (const GradientBucket& bucket : gradient_buckets(load_model("resnet50"), StepPlan{}))
    ours.push_back(static_cast<double>(bucket.parameters));
  CHECK(ours == recorded);
}

TEST_CASE("gathers and reductions of 16 A100 are within 25 % of their least recorded time where it is their own") {
  const std::string trace = "recommender_16xa100";
  CHECK(std::abs(collective(trace, CollectiveKind::reduce_scatter, 100663296).error()) < 0.25);
  CHECK(std::abs(collective(trace, CollectiveKind::all_gather, 100663296).error()) < 0.25);
  CHECK(std::abs(collective(trace, CollectiveKind::reduce_scatter, 16777216).error()) < 0.25);
  // What is missed, and by how much: the largest all-reduce by a little, two by the waiting in their least times. An
  // all-gather takes no longer than the reduce-scatter of its size, which is recorded at 117 us.
  CHECK(std::abs(collective(trace, CollectiveKind::all_reduce, 1791693584).error()) < 0.27);
  CHECK(collective(trace, CollectiveKind::all_gather, 16777216).error() < -0.45);
  CHECK(collective(trace, CollectiveKind::all_reduce, 1465344).error() < -0.5);
}

TEST_CASE("DLRM's eight ranks wait for each other anew as they did") {
  const TraceValidation& validation = validation_of("dlrm_8xv100");
  REQUIRE(validation.ranks.size() == 8);
  CHECK(std::abs(validation.own_error()) < 0.005);
  for (const RankReplay& rank : validation.ranks) {
    INFO(rank.rank);
    CHECK(rank.host_bound);
    CHECK(ms(rank.own.sums.collective) == Approx(ms(rank.recorded.sums.collective)).epsilon(0.02));
  }
  CHECK(std::abs(collective("dlrm_8xv100", CollectiveKind::all_reduce, 1576964).error()) < 0.25);
}

TEST_CASE("half of the batch takes more than half of the kernels' time") {
  TraceQuestion question;
  question.topology = "dgx1-v100";
  question.profiles = builtin_profiles();
  question.model = TraceModel{"resnet50", Precision::fp32, 32, 16.0};
  const TraceValidation half = validate_trace(steps_of("resnet50_1xv100"), question);
  REQUIRE(half.what_if.size() == 1);
  const double ratio = half.what_if.front().after / half.what_if.front().before;
  CHECK(ratio > 0.52);
  CHECK(ratio < 0.75);
}

TEST_CASE("a slow rank, more ranks and a slower network make a recorded step longer") {
  TraceQuestion question;
  question.topology = "dgx-a100";
  question.profiles = builtin_profiles();
  const RecordedRun run = steps_of("recommender_8xa100");
  question.what_if.slowdowns = {{0, 2.0}};
  const WhatIfStep slow = validate_trace(run, question).what_if.at(0);
  CHECK(slow.text == "rank 0 at 0.5 of its speed");
  CHECK(slow.after > 1.2 * slow.before);
  question.what_if = {};
  question.what_if.ranks = {64};
  const WhatIfStep more = validate_trace(run, question).what_if.at(0);
  CHECK(more.after > more.before);
  question.what_if.topology = "p4d";
  const WhatIfStep slower = validate_trace(run, question).what_if.at(0);
  CHECK(slower.after > more.after);
  CHECK(slower.before == more.before);
}

TEST_CASE("a recorded rank stands for jobs of many sizes, whose steps grow with their collectives") {
  TraceQuestion question;
  question.topology = "dgx-a100";
  question.profiles = builtin_profiles();
  question.what_if.ranks = {8, 16, 64, 512};
  const RecordedRun run = steps_of("recommender_8xa100");
  const std::vector<WhatIfStep> steps = validate_trace(run, question).what_if;
  REQUIRE(steps.size() == 4);
  CHECK(steps.front().after.value == Approx(steps.front().before.value));  // the job as it was recorded
  for (std::size_t i = 0; i < steps.size(); ++i) {
    INFO(steps[i].text);
    CHECK(steps[i].ranks == question.what_if.ranks[i]);
    CHECK(steps[i].before == steps.front().before);
    if (i > 0) CHECK(steps[i].after > steps[i - 1].after);
    TraceQuestion alone = question;
    alone.what_if.ranks = {steps[i].ranks};
    CHECK(validate_trace(run, alone).what_if.at(0).after == steps[i].after);
  }
}

TEST_CASE("what-ifs are refused where the host decides, and where the trace has no answer") {
  TraceQuestion question;
  question.profiles = builtin_profiles();
  question.what_if.slowdowns = {{0, 2.0}};
  CHECK_THROWS_AS(validate_trace(steps_of("resnet50_2xa100"), question), Infeasible);
  CHECK_THROWS_WITH(validate_trace(steps_of("dlrm_8xv100"), question), ContainsSubstring("bound by the host"));
  const RecordedRun run = steps_of("recommender_8xa100");
  question.what_if.slowdowns = {{8, 2.0}};
  CHECK_THROWS_WITH(validate_trace(run, question), ContainsSubstring("the job has ranks 0 to 7"));
  question.what_if = {};
  question.what_if.ranks = {16};
  CHECK_THROWS_WITH(validate_trace(run, question), ContainsSubstring("--topology: is needed"));
  question.topology = "dgx-a100";
  question.what_if.topology = "dgx-h100";
  CHECK_THROWS_WITH(validate_trace(run, question), ContainsSubstring("kernels keep their own times"));
}

TEST_CASE("a pipeline beyond its bound is a miss") {
  PublishedTraceResults worse = results();
  worse.pipelines.front().simulated = 1.05 * worse.pipelines.front().recorded;
  CHECK(exit_status(worse) == 1);
}

TEST_CASE("the scoreboard's section has a row for each trace, judged collective and step of a pipeline") {
  const std::string page = reports::page_markdown({"", {}, {reports::traces_section(results())}, ""});
  CHECK_THAT(page, ContainsSubstring("## Real traces"));
  CHECK_THAT(page, ContainsSubstring("| ResNet-50, fp32, batch 32, 1 V100 | 95.6 ms |"));
  CHECK_THAT(page, ContainsSubstring("| 3 of 6 |"));
  CHECK_THAT(page, ContainsSubstring("| LLM on 64 accelerators | 439 | 46.6 s |"));
  CHECK_THAT(page, ContainsSubstring("| reduce-scatter | 96.0 MiB | 8 | 471 us |"));
}
