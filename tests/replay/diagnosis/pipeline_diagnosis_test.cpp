// What makes a pipelined job slow: of two that ran, whose cause is known, and of random ones.
#include "replay/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "catch.hpp"
#include "replay/diagnosis/run_noise.hpp"
#include "replay/pipeline/replayed_pipeline.hpp"
#include "workloads/pipeline/schedule.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kJobs = 100;

// Times of one worker; the first stage runs without waiting for anything.
WorkerOps worker_ops(const PipelineSize& size, int stage, double chip, RunNoise& noise) {
  WorkerOps ops;
  const auto micro_batches = static_cast<std::size_t>(size.micro_batches);
  for (const PipelineOp op :
       {PipelineOp::forward_compute, PipelineOp::forward_send, PipelineOp::backward_compute, PipelineOp::backward_send})
    ops.of(op).resize(micro_batches);
  Seconds now;
  for (const PipelineTask& task :
       pipeline_order({PipelineSchedule::one_f_one_b, size.stages, 1, size.micro_batches}, stage)) {
    const auto m = static_cast<std::size_t>(task.micro_batch);
    const Seconds time((task.backward ? 0.2 : 0.1) * chip * noise.factor(0.02));
    ops.of(task.backward ? PipelineOp::backward_compute : PipelineOp::forward_compute)[m] = {now, time};
    const bool sends = task.backward ? stage > 0 : stage + 1 < size.stages;
    now += time;
    if (sends)
      ops.of(task.backward ? PipelineOp::backward_send : PipelineOp::forward_send)[m] = {
          now, Seconds(1e-3 * noise.factor(0.1))};
  }
  return ops;
}

// Micro-batches enough that every stage is busy for most of the step, and an uneven one costs something.
PipelineRecord healthy_job(RunNoise& noise) {
  PipelineRecord record;
  record.size = {noise.whole(2, 6), noise.whole(3, 6), noise.whole(12, 24)};
  std::vector<double> chip;
  for (int w = 0; w < record.size.workers(); ++w) chip.push_back(noise.factor(0.01));
  for (int t = 0; t < noise.whole(1, 3); ++t) {
    PipelineStep step{t, {}};
    for (int w = 0; w < record.size.workers(); ++w)
      step.workers.push_back(worker_ops(record.size, record.size.stage(w), chip[static_cast<std::size_t>(w)], noise));
    record.steps.push_back(std::move(step));
  }
  return record;
}

void multiply(PipelineRecord& record, int worker, const std::vector<PipelineOp>& ops, double factor) {
  for (PipelineStep& step : record.steps)
    for (const PipelineOp op : ops)
      for (auto& each : step.workers[static_cast<std::size_t>(worker)].of(op))
        if (each) each->duration *= factor;
}

const std::vector<PipelineOp> kPasses{PipelineOp::forward_compute, PipelineOp::backward_compute};

std::string worker_name(const PipelineRecord& record, int worker) {
  return fmt::format("data rank {}, stage {}", record.size.data_rank(worker), record.size.stage(worker));
}

double found_job_share(CauseKind kind, const std::function<std::string(PipelineRecord&, int worker)>& inject) {
  int found = 0;
  for (int run = 0; run < kJobs; ++run) {
    RunNoise noise(static_cast<std::uint64_t>(run));
    PipelineRecord record = healthy_job(noise);
    const std::string where = inject(record, noise.whole(0, record.size.workers() - 1));
    const Diagnosis result = diagnosis(record);
    if (result.found() && result.causes.front().kind == kind && result.causes.front().where == where) ++found;
  }
  return static_cast<double>(found) / kJobs;
}

}  // namespace

TEST_CASE(
    "the slow worker of the LLM job on 64 accelerators is found, and that tensor-parallel peers hide which rank") {
  const Diagnosis result = diagnosis(published_pipelines().at(0).record);
  REQUIRE(result.causes.size() == 1);
  const Cause& cause = result.causes.front();
  CHECK(cause.kind == CauseKind::slow_rank);
  CHECK(cause.where == "data rank 0, stage 0");
  CHECK(cause.times_as_long == Approx(2.4).epsilon(0.05));  // slowed so on purpose
  CHECK(cause.likelihood > 0.99);
  CHECK(cause.saving > 0.45);
  CHECK(cause.saving < 0.55);
  CHECK(result.besides.empty());
  REQUIRE(result.notes.size() == 1);
  CHECK_THAT(result.notes.front(), ContainsSubstring("tensor-parallel"));
}

TEST_CASE("the uneven last stage of the LLM job on 8 accelerators is found") {
  const Diagnosis result = diagnosis(published_pipelines().at(1).record);
  REQUIRE(result.causes.size() == 1);
  const Cause& cause = result.causes.front();
  CHECK(cause.kind == CauseKind::uneven_stage);
  CHECK(cause.where == "stage 3");
  CHECK(cause.times_as_long == Approx(1.6).epsilon(0.05));
  CHECK(cause.likelihood > 0.99);
}

TEST_CASE("with times of the healthy workers the 64 accelerators' job has no slow rank") {
  PipelineRecord record = published_pipelines().at(0).record;
  for (PipelineStep& step : record.steps) step.workers[0] = step.workers[4];  // stage 0 of data rank 1
  for (const Cause& cause : diagnosis(record).causes) CHECK(cause.kind != CauseKind::slow_rank);
}

TEST_CASE("operations of no time have no cause") {
  RunNoise noise(3);
  PipelineRecord record = healthy_job(noise);
  for (int w = 0; w < record.size.workers(); ++w)
    multiply(record, w,
             {PipelineOp::forward_compute, PipelineOp::backward_compute, PipelineOp::forward_send,
              PipelineOp::backward_send},
             0);
  CHECK_FALSE(diagnosis(record).found());
}

TEST_CASE("healthy pipelines: a false alarm in 1 of 100 at most") {
  int alarms = 0;
  for (int run = 0; run < 2 * kJobs; ++run) {
    RunNoise noise(static_cast<std::uint64_t>(1000 + run));
    const Diagnosis result = diagnosis(healthy_job(noise));
    if (result.found()) {
      ++alarms;
      UNSCOPED_INFO(result.causes.front().where << " " << result.causes.front().times_as_long);
    }
  }
  CHECK(alarms <= 2 * kJobs / 100);
}

TEST_CASE("a worker of a pipeline that computes 1.5 times as long is found in 19 of 20 jobs") {
  CHECK(found_job_share(CauseKind::slow_rank, [](PipelineRecord& record, int worker) {
          multiply(record, worker, kPasses, 1.5);
          return worker_name(record, worker);
        }) >= 0.95);
}

TEST_CASE("a stage with 1.4 times the work is found in 19 of 20 jobs") {
  CHECK(found_job_share(CauseKind::uneven_stage, [](PipelineRecord& record, int worker) {
          const int stage = record.size.stage(worker);
          for (int d = 0; d < record.size.data_ranks; ++d) multiply(record, record.size.worker(d, stage), kPasses, 1.4);
          return fmt::format("stage {}", stage);
        }) >= 0.95);
}

TEST_CASE("a link between stages that is 100 times as slow is found in 19 of 20 jobs") {
  CHECK(found_job_share(CauseKind::slow_link, [](PipelineRecord& record, int worker) {
          const int d = record.size.data_rank(worker), s = std::min(record.size.stage(worker), record.size.stages - 2);
          const int sender = record.size.worker(d, s);
          multiply(record, sender, {PipelineOp::forward_send}, 100);
          multiply(record, sender + 1, {PipelineOp::backward_send}, 100);
          return fmt::format("data rank {}, stage {} to {}", d, s, s + 1);
        }) >= 0.95);
}

TEST_CASE("a first stage that waits a third of a pass for each input is found in 19 of 20 jobs") {
  CHECK(found_job_share(CauseKind::late_input, [](PipelineRecord& record, int worker) {
          const int first = record.size.worker(record.size.data_rank(worker), 0);
          for (PipelineStep& step : record.steps) {
            WorkerOps& ops = step.workers[static_cast<std::size_t>(first)];
            Seconds late;
            for (const PipelineTask& task :
                 pipeline_order({PipelineSchedule::one_f_one_b, record.size.stages, 1, record.size.micro_batches}, 0)) {
              if (!task.backward) late += Seconds(0.1);
              ops.of(kPasses[task.backward ? 1 : 0])[static_cast<std::size_t>(task.micro_batch)]->begin += late;
            }
          }
          return worker_name(record, first);
        }) >= 0.95);
}

namespace {

// Texts of other lengths: all workers of a data rank have the same micro-batches.
void make_uneven(PipelineRecord& record, RunNoise& noise, double spread) {
  for (PipelineStep& step : record.steps)
    for (int d = 0; d < record.size.data_ranks; ++d)
      for (int m = 0; m < record.size.micro_batches; ++m) {
        const double length = noise.factor(spread);
        for (int s = 0; s < record.size.stages; ++s)
          for (const PipelineOp op : kPasses)
            step.workers[static_cast<std::size_t>(record.size.worker(d, s))]
                .of(op)[static_cast<std::size_t>(m)]
                ->duration *= length;
      }
}

}  // namespace

TEST_CASE("micro-batches whose lengths differ by a third are found in 19 of 20 jobs, and every tenth is none") {
  int alarms = 0;
  const auto job = [&](std::uint64_t run, double spread) {
    RunNoise noise(run);
    PipelineRecord record = healthy_job(noise);
    make_uneven(record, noise, spread);
    const Diagnosis result = diagnosis(record);
    return result.found() && result.causes.front().kind == CauseKind::uneven_micro_batches;
  };
  int found = 0;
  for (int run = 0; run < kJobs; ++run) found += job(static_cast<std::uint64_t>(run), 0.33) ? 1 : 0;
  for (int run = 0; run < kJobs; ++run) alarms += job(static_cast<std::uint64_t>(run), 0.02) ? 1 : 0;
  CHECK(found >= 95);
  CHECK(alarms <= 1);
}

TEST_CASE("uneven micro-batches cost what a step is shorter with all passes at their median") {
  RunNoise noise(11);
  PipelineRecord record;
  record.size = {1, 1, 40};
  record.steps.push_back({0, {worker_ops(record.size, 0, 1, noise)}});
  make_uneven(record, noise, 0.5);
  // One stage alone runs one pass after another: the step is their sum.
  double sum = 0, even = 0;
  for (const PipelineOp op : kPasses) {
    std::vector<double> seconds;
    for (const auto& each : record.steps[0].workers[0].of(op)) seconds.push_back(each->duration.value);
    for (const double each : seconds) sum += each;
    std::sort(seconds.begin(), seconds.end());
    even += 40 * (seconds[19] + seconds[20]) / 2;
  }
  const Diagnosis result = diagnosis(record);
  REQUIRE(result.found());
  CHECK(result.causes.front().kind == CauseKind::uneven_micro_batches);
  CHECK(result.causes.front().saving == Approx(1 - even / sum).epsilon(0.01));
}

TEST_CASE("a slow stage of two is named, and with one data rank it stands beside a slow rank") {
  for (const int data_ranks : {1, 2, 4}) {
    RunNoise noise(5);
    PipelineRecord record;
    record.size = {data_ranks, 2, 16};
    PipelineStep step{0, {}};
    for (int w = 0; w < record.size.workers(); ++w)
      step.workers.push_back(worker_ops(record.size, record.size.stage(w), 1, noise));
    record.steps = {step, step};
    for (int d = 0; d < data_ranks; ++d) multiply(record, record.size.worker(d, 1), kPasses, 1.3);
    const Diagnosis result = diagnosis(record);
    INFO(data_ranks);
    CHECK(std::any_of(result.causes.begin(), result.causes.end(), [](const Cause& cause) {
      return cause.kind == CauseKind::uneven_stage && cause.where == "stage 1" &&
             std::abs(cause.times_as_long - 1.3) < 0.05;
    }));
  }
}

TEST_CASE("who comes last to the sum of gradients is counted, with what its peers waited") {
  const PipelineRecord record = published_pipelines().at(0).record;
  const Diagnosis result = diagnosis(record);
  REQUIRE(!result.last_to_arrive.empty());
  // The slowed worker's data rank is last in all stages and steps.
  Seconds waited;
  for (const PipelineStep& step : record.steps) {
    Seconds first(1e9), last;
    for (int d = 0; d < record.size.data_ranks; ++d) {
      const auto& passes =
          step.workers[static_cast<std::size_t>(record.size.worker(d, 0))].of(PipelineOp::backward_compute);
      Seconds end;
      for (const auto& each : passes) end = max(end, each->end());
      first = min(first, end);
      last = max(last, end);
    }
    waited += last - first;
  }
  const Arrival& worst = result.last_to_arrive.front();
  CHECK(worst.where == "data rank 0, stage 0");
  CHECK(worst.times == record.steps.size());
  CHECK(worst.meetings == 4 * record.steps.size());
  CHECK(worst.waited.value == Approx(waited.value));
}
