#include "sim/plan/model_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/pipeline/partition.hpp"
#include "workloads/split/context_split.hpp"
#include "workloads/split/embedding_split.hpp"
#include "workloads/split/expert_split.hpp"
#include "workloads/split/spatial_split.hpp"
#include "workloads/split/tensor_split.hpp"

namespace mlsim::sim {
namespace {

// An accelerator has room beside the rest for embedding tables of so many parameters: 80 % of its memory (assumed).
std::int64_t room_for_tables(Bytes memory, const StepPlan& step) {
  constexpr double kShare = 0.8;
  const Bytes element = element_size(step.precision);
  const Bytes each = Bytes(4) + (element < Bytes(4) ? element : Bytes(0)) + state_bytes_per_parameter(step.optimizer);
  return static_cast<std::int64_t>(kShare * (memory / each));
}

TablePlacement table_placement(const PartSource& source, const StepPlan& step) {
  TablePlacement placement;
  if (!source.fits) placement.most_parameters = room_for_tables(source.accelerator.memory.value, step);
  placement.cut = source.options.table_placement;
  return placement;
}

// Splits the model before it is cut into stages.
ShardedModel sharded_model(const PartSource& source, const StepPlan& step) {
  const Parallelism& parallelism = step.parallelism;
  const int tensor_for_experts = source.options.whole_experts ? parallelism[Axis::tensor] : 1;
  const int expert_ranks = parallelism[Axis::expert] * tensor_for_experts;
  ShardedModel part = source.model;
  if (parallelism.size_of(Axis::spatial | Axis::columns) > 1)
    part = split_spatial(std::move(part), parallelism[Axis::spatial], parallelism[Axis::columns]);
  if (parallelism[Axis::normalization] > 1) part = distribute_normalization(std::move(part));
  if (expert_ranks > 1)
    part = split_experts(std::move(part), expert_ranks, source.options.capacity, tensor_for_experts,
                         source.options.expert_overlap, source.options.dispatch.value_or(ExpertDispatch::alltoall));
  if (parallelism[Axis::embedding] > 1)
    part = split_embeddings(std::move(part), parallelism[Axis::embedding], table_placement(source, step));
  if (parallelism[Axis::context] > 1)
    part = split_context(std::move(part), parallelism[Axis::context], source.options.context_exchange);
  if (parallelism[Axis::tensor] > 1)
    part = split_tensor(std::move(part), parallelism[Axis::tensor], source.options.sequence_parallel.value_or(false),
                        source.options.tensor_overlap.value_or(false), source.options.whole_experts);
  return part;
}

// Finds the first layers of so many parts: by FLOP as GPipe has it, evenly where blocks are repeated, else by the data
// sheet's rates of the accelerator.
std::vector<int> first_layers(const ShardedModel& sharded, const PartSource& source, const StepPlan& step, int parts) {
  const ParallelismOptions& options = source.options;
  if (options.schedule() == PipelineSchedule::gpipe) return flop_stages(sharded, parts, step.fusion);
  const bool by_hand = options.stages == StageCut::even || options.first_stage_layers || options.last_stage_layers;
  if (by_hand || (!options.stages && repeats_block(sharded.model, parts)))
    return even_stages(sharded.model, {step.parallelism[Axis::pipeline], options.pipeline_chunks,
                                       options.first_stage_layers, options.last_stage_layers, options.schedule()});
  const KernelCost cost(source.accelerator, step.precision, {});
  const auto costs = layer_costs(sharded, step, [&](const KernelWork& work) {
    const KernelTime time = cost.time(work);
    return time.work + time.fixed;
  });
  return balanced_stages(sharded, costs, parts, step.fusion);
}

// The pipeline is empty where there is one stage.
std::optional<PipelinePlan> pipeline_of(const ShardedModel& sharded, const PartSource& source, const StepPlan& step) {
  const int stages = step.parallelism[Axis::pipeline], chunks = source.options.pipeline_chunks;
  if (stages == 1) return {};
  return PipelinePlan{source.options.schedule(), chunks, first_layers(sharded, source, step, stages * chunks)};
}

// Throws Infeasible where the model cannot be split so.
ModelPart part_of(const PartSource& source, const StepPlan& step) {
  return staged(sharded_model(source, step), source, step);
}

// The text is "tensor=4": the axis that the model cannot be split along at the nearest length, of equally near ones the
// larger, that it can be split along and that covers the accelerators with data; empty where there is none.
std::string nearest_split(const PartSource& source, const StepPlan& step) {
  const Parallelism& asked = step.parallelism;
  StepPlan other = step;
  for (const Axis axis : {Axis::spatial, Axis::expert, Axis::embedding, Axis::context, Axis::tensor, Axis::pipeline}) {
    if (asked[axis] == 1) continue;
    const int ranks = asked[axis] * asked[Axis::data];
    std::vector<int> lengths;
    for (int length = ranks; length > 1; --length)
      if (ranks % length == 0 && length != asked[axis]) lengths.push_back(length);
    std::stable_sort(lengths.begin(), lengths.end(),
                     [&](int a, int b) { return std::abs(a - asked[axis]) < std::abs(b - asked[axis]); });
    for (const int length : lengths) {
      other.parallelism = asked;
      other.parallelism[axis] = length;
      other.parallelism[Axis::data] = ranks / length;
      const int columns = axis == Axis::spatial ? asked[Axis::columns] : 1;
      if (possible_split(source, other))
        return fmt::format("{}={}{}", name(axis), length, columns > 1 ? fmt::format("x{}", columns) : "");
    }
  }
  return {};
}

}  // namespace

bool same_part(const ModelPart& a, const ModelPart& b) {
  const ShardedModel &left = a.sharded, &right = b.sharded;
  return a.pipeline == b.pipeline && left.exchanges == right.exchanges && left.gradient_axes == right.gradient_axes &&
         left.copies == right.copies && left.load == right.load && left.outputs == right.outputs &&
         left.inputs_trained == right.inputs_trained && left.model.layers == right.model.layers;
}

ModelPart staged(ShardedModel sharded, const PartSource& source, const StepPlan& step) {
  std::optional<PipelinePlan> pipeline = pipeline_of(sharded, source, step);
  return {std::move(sharded), std::move(pipeline)};
}

std::optional<ModelPart> possible_split(const PartSource& source, const StepPlan& step) {
  try {
    return part_of(source, step);
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

ModelPart split_model(const PartSource& source, const StepPlan& step) {
  try {
    return part_of(source, step);
  } catch (const Infeasible& e) {
    const std::string other = nearest_split(source, step);
    if (other.empty() || std::string_view(e.what()).find(other + " ") != std::string_view::npos) throw;
    throw Infeasible(fmt::format("{}{} on {} accelerators {} does", e.what(),
                                 std::string_view(e.what()).find(';') == std::string_view::npos ? ";" : ", and",
                                 step.parallelism.ranks(), other),
                     {"parallelism ", named("parallelism", other)});
  }
}

}  // namespace mlsim::sim
