#include "replay/execution/replay_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/text/errors.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/pipeline/partition.hpp"
#include "workloads/pipeline/pipeline.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

StepPlan step_plan(const ReplayOrder& order, int ranks) {
  StepPlan step;
  step.parallelism = order.stages > 1 ? parse_parallelism(fmt::format("pipeline={}", order.stages), ranks).parallelism
                                      : data_parallel(ranks);
  step.batch_per_accelerator = order.batch;
  step.optimizer = parse<Optimizer>(order.optimizer);
  step.overlap = order.overlap;
  step.bucket = order.bucket;
  step.first_bucket = order.first_bucket;
  step.sharding = order.update == ReplayUpdate::sharded ? StateSharding::optimizer : StateSharding::none;
  step.parameter_servers = order.update == ReplayUpdate::servers;
  step.micro_batches = order.micro_batches;
  return step;
}

StepGraph step_graph_of(const ShardedModel& sharded, const StepPlan& step) {
  const int stages = step.parallelism[Axis::pipeline];
  if (stages == 1) return lower(sharded, step);
  return lower_pipeline(sharded, step, {PipelineSchedule::gpipe, 1, flop_stages(sharded, stages, step.fusion)});
}

}  // namespace

ReplayPlan replay_plan(const ReplayOrder& order, int ranks) {
  if (order.stages > 1 && order.stages != ranks)
    throw InputError("--parallelism", fmt::format("pipeline={} is run on {} ranks, one a stage, and these are {}",
                                                  order.stages, order.stages, ranks));
  Model model = load_model(order.workload);
  const ShardedModel sharded(model);
  StepPlan step = step_plan(order, ranks);
  auto buckets = gradient_buckets(sharded, step);
  return {std::move(model), step, std::move(buckets), step_graph_of(sharded, step)};
}

}  // namespace mlsim::replay
