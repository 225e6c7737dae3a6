// What a technique does to the work of a rank, and pipelines against their closed form.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "tests/oracles/workloads/pipeline_closed_form.hpp"
#include "tests/sim/answer/technique_case.hpp"
#include "workloads/pipeline/schedule.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest ask(const std::string& topology, const std::string& workload, const std::string& parallelism,
                   double batch, const Settings& settings = {}) {
  return request_of({"", topology, workload, parallelism, batch, settings, 0, 0, ""});
}

// Seconds that every stage takes for the passes of one micro-batch, from the kernels of its first one.
struct StageTimes {
  std::vector<Seconds> forward, backward;
  Seconds rest;  // before and behind the passes
};

StageTimes stage_times(const PredictRequest& request) {
  const CostedStep step = costed_step(request);
  const Plan& plan = step.plan();
  const LoweredPlan& lowered = step.lowered();
  const std::vector<Seconds> duration = step.cost().durations();
  const auto stages = static_cast<std::size_t>(plan.step.parallelism[Axis::pipeline]);
  StageTimes times{std::vector<Seconds>(stages), std::vector<Seconds>(stages), Seconds(0)};
  std::vector<Seconds> update(stages);
  for (std::size_t v = 0; v < duration.size(); ++v) {
    const StepNode& node = (*lowered.graph)[v];
    if (is_exchange(node)) continue;
    const auto stage = static_cast<std::size_t>(node.role);
    const Seconds part = duration[v] / plan.step.micro_batches;
    if (node.part == StepPart::forward) times.forward[stage] += part;
    if (node.part == StepPart::backward) times.backward[stage] += part;
    if (node.part == StepPart::optimizer) update[stage] += duration[v];
    if (node.part == StepPart::input) times.rest += duration[v];
  }
  times.rest += *std::max_element(update.begin(), update.end());
  return times;
}

}  // namespace

TEST_CASE("ranks that split a model do at least its work together and none does more than one alone would") {
  struct Split {
    std::string topology, workload, parallelism;
    Settings settings;
  };
  const std::vector<Split> splits{{"dgx-a100", "gpt2", "tensor=4,data=1", {}},
                                  {"dgx-a100", "gpt2", "tensor=4,data=1", {{"sequence_parallel", "on"}}},
                                  {"dgx-a100", "ssd-resnet34", "spatial=4,data=1", {}},
                                  {"torus2x2", "ssd-resnet34", "spatial=4", {}},
                                  {"dgx-a100", "gpt2:hidden=2048,heads=32", "pipeline=4,data=1", {}}};
  for (const Split& split : splits) {
    INFO(split.workload << ' ' << split.parallelism << " on " << split.topology);
    PredictRequest request = ask(split.topology, split.workload, split.parallelism, 2, split.settings);
    request.accelerators = 4;
    const StepBreakdown each = predict(request).step;
    request = ask(split.topology, split.workload, "", 8);
    request.accelerators = 1;
    const Seconds alone = predict(request).step.compute;
    CHECK(4 * each.compute.value >= alone.value * (1 - 1e-9));
    CHECK(each.compute < alone);
  }
}

TEST_CASE("a pipeline's step is its closed form where transfers are small") {
  for (const int stages : {2, 4, 8}) {
    for (const int micro_batches : {1, 4, 16}) {
      const std::string mesh = "pipeline=" + std::to_string(stages) + ",micro_batches=" + std::to_string(micro_batches);
      for (const std::string schedule : {"gpipe", "1f1b"}) {
        INFO(schedule << ' ' << mesh);
        PredictRequest request = ask("dgx-a100", "gpt2:layers=24,vocabulary=8192", mesh, 1,
                                     {{"pipeline_schedule", schedule},
                                      {"stages", "balanced"},
                                      {"attention", "unfused"},
                                      {"loss_scaling", "off"}});
        request.batch_per_accelerator.reset();
        request.global_batch = micro_batches;
        request.accelerators = stages;
        const StageTimes times = stage_times(request);
        const Seconds passes =
            pipeline_time(parse<PipelineSchedule>(schedule), times.forward, times.backward, micro_batches);
        const double expected = (passes + times.rest).value;
        const double simulated = predict(request).step.time.value;
        CHECK(simulated <= expected * 1.05);
        CHECK(simulated >= expected * (schedule == "gpipe" ? 0.99 : 0.93));
      }
    }
  }
}

TEST_CASE("a pipeline idles as the bubble of equal stages says") {
  for (const int micro_batches : {4, 8, 32}) {
    for (const std::string schedule : {"gpipe", "1f1b", "interleaved"}) {
      INFO(schedule << ' ' << micro_batches);
      const int chunks = schedule == "interleaved" ? 2 : 1;
      Settings settings{{"pipeline_schedule", schedule}};
      if (chunks > 1) settings["pipeline_chunks"] = std::to_string(chunks);
      PredictRequest request =
          ask("dgx-a100", "bert-large", "pipeline=4,micro_batches=" + std::to_string(micro_batches), 1, settings);
      request.batch_per_accelerator.reset();
      request.global_batch = micro_batches;
      request.accelerators = 4;
      const StepBreakdown step = predict(request).step;
      const double passes = (step.compute + step.bubble).value;
      const double share = bubble_fraction({parse<PipelineSchedule>(schedule), 4, chunks, micro_batches});
      CHECK(step.bubble.value / passes == Approx(share).margin(0.06));
    }
  }
}
