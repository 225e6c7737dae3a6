#include "workloads/pipeline/pipeline_memory.hpp"

#include <utility>
#include <vector>

#include "workloads/pipeline/stage.hpp"

namespace mlsim::workloads {
namespace {

// Stages have their chunks and what a sample keeps there.
class Stages {
 public:
  Stages(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline)
      : plan_(plan), shape_(shape_of(plan, pipeline)), parts_(stage_parts(sharded, pipeline.first_layers)) {
    const bool chunks = plan.recompute == Recompute::full && shape_.schedule == PipelineSchedule::gpipe;
    const RunAgain again = chunks ? RunAgain{RunAgain::What::everything} : run_again(plan);
    for (int s = 0; s < shape_.stages; ++s) kept_.push_back(kept_on(s, again));
  }

  PipelineMemory fullest(double batch) {
    plan_.batch_per_accelerator = batch;
    PipelineMemory most;
    for (int s = 0; s < shape_.stages; ++s) {
      const MemoryUse use = use_on(s);
      if (s == 0 || use.total() > most.use.total()) most = {s, use};
    }
    return most;
  }

 private:
  const ShardedModel& part(int stage, int chunk) const { return parts_[shape_.place(stage, chunk)]; }

  // Returns the bytes per sample of a micro-batch, all in flight.
  Bytes kept_on(int stage, const RunAgain& again) const {
    std::vector<double> each;
    Bytes sum;
    for (int c = 0; c < shape_.chunks; ++c) {
      const auto kept = kept_tensors(part(stage, c), plan_.fusion, again);
      each.push_back(kept.each.bytes(plan_.precision).value);
      sum = max(sum, kept.recomputed.bytes(plan_.precision));
    }
    const auto in_flight = micro_batches_in_flight(shape_, stage, each);
    for (std::size_t c = 0; c < each.size(); ++c)
      sum += Bytes(each[c] * in_flight[c] *
                   share_on_accelerator(part(stage, static_cast<int>(c)), plan_.offload, in_flight[c]));
    return sum;
  }

  MemoryUse use_on(int stage) const {
    MemoryUse use = memory_use(part(stage, 0), plan_, kept_[stage]);
    for (int c = 1; c < shape_.chunks; ++c) {
      const MemoryUse more = memory_use(part(stage, c), plan_, Bytes(0));
      use.weights += more.weights;
      use.gradients += more.gradients;
      use.optimizer_state += more.optimizer_state;
      use.buffers += more.buffers;
    }
    return use;
  }

  StepPlan plan_;
  PipelineShape shape_;
  std::vector<ShardedModel> parts_;  // by chunk
  std::vector<Bytes> kept_;          // by stage
};

}  // namespace

PipelineMemory pipeline_memory(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline) {
  check_pipeline(plan, pipeline);
  return Stages(sharded, plan, pipeline).fullest(plan.batch_per_accelerator);
}

std::vector<Bytes> offloaded_by_stage(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline) {
  const PipelineShape shape = shape_of(plan, pipeline);
  const std::vector<ShardedModel> parts = stage_parts(sharded, pipeline.first_layers);
  std::vector<Bytes> stages(shape.stages);
  for (int s = 0; s < shape.stages; ++s)
    for (int c = 0; c < shape.chunks; ++c) stages[s] += offloaded_per_sample(parts[shape.place(s, c)], plan);
  return stages;
}

int largest_pipeline_batch(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline,
                           Bytes memory) {
  StepPlan one = plan;
  one.batch_per_accelerator = plan.micro_batches;
  check_pipeline(one, pipeline);
  Stages stages(sharded, one, pipeline);
  const auto fits = [&](int samples) {
    return stages.fullest(double(samples) * plan.micro_batches).use.total() <= memory;
  };
  if (!fits(1)) return 0;
  constexpr int kMost = 1 << 20;  // samples a micro-batch, far more than any memory holds
  const int most = kMost / plan.micro_batches;
  int below = 1, above = 2;
  while (above < most && fits(above)) below = std::exchange(above, 2 * above);
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    (fits(middle) ? below : above) = middle;
  }
  return below * plan.micro_batches;
}

}  // namespace mlsim::workloads
