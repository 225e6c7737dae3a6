#include "sim/plan/model_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/pipeline/partition.hpp"
#include "workloads/split/embedding_split.hpp"
#include "workloads/split/expert_split.hpp"
#include "workloads/split/spatial_split.hpp"
#include "workloads/split/tensor_split.hpp"

namespace mlsim::sim {
namespace {

// Settings that change something only where their axis is longer than 1.
struct AxisSetting {
  std::string_view key;
  Axis axis;
};
constexpr AxisSetting kAxisSettings[] = {{"sequence_parallel", Axis::tensor},
                                         {"capacity", Axis::expert},
                                         {"table_placement", Axis::embedding},
                                         {"pipeline_schedule", Axis::pipeline},
                                         {"pipeline_chunks", Axis::pipeline}};

// Data ranks that take the statistics of batch normalisations together become an axis of their own.
void take_normalization_group(Parallelism& parallelism, const std::string& asked, const Model& model) {
  const auto place = fmt::format("--set batch_norm_group={}", asked);
  if (parallelism[Axis::normalization] > 1)
    throw InputError(place, "and --parallelism normalization say the same thing twice");
  const bool normalizes = std::any_of(model.layers.begin(), model.layers.end(),
                                      [](const Layer& layer) { return layer.kind == LayerKind::batch_normalization; });
  if (!normalizes) throw InputError(place, fmt::format("{} has no batch normalisation", model.name));
  const int group = parse_count(asked);
  const int data = parallelism[Axis::data];
  if (data % group != 0) {
    int below = group, above = group;
    while (below > 1 && data % below != 0) --below;
    while (above < data && data % above != 0) ++above;
    above = std::min(above, data);
    const std::string nearest = below < above ? fmt::format("{} and {}", below, above) : fmt::format("{}", above);
    throw Infeasible(
        fmt::format("groups of {} do not divide {} data-parallel ranks; groups of {} do", group, data, nearest));
  }
  parallelism[Axis::data] = data / group;
  parallelism[Axis::normalization] = group;
}

// Parameters of embedding tables for which an accelerator has room beside the rest: 80 % of its memory (assumed).
std::int64_t room_for_tables(const Plan& plan) {
  constexpr double kShare = 0.8;
  const Bytes element = element_size(plan.step.precision);
  const Bytes each =
      Bytes(4) + (element < Bytes(4) ? element : Bytes(0)) + state_bytes_per_parameter(plan.step.optimizer);
  return static_cast<std::int64_t>(kShare * (plan.cluster.accelerator.memory.value / each));
}

TablePlacement table_placement(const Plan& plan) {
  TablePlacement placement;
  placement.most_parameters = room_for_tables(plan);
  const std::string asked = setting(plan.settings, "table_placement");
  const auto& cuts = names<TableCut>();
  if (const auto found = std::find(cuts.begin(), cuts.end(), asked); found != cuts.end())
    placement.cut = static_cast<TableCut>(found - cuts.begin());
  return placement;
}

// "tensor=4": the axis that the model cannot be split along at the nearest length, of equally near ones the larger,
// that it can be split along and that covers the accelerators with data; empty where there is none.
std::string nearest_split(const Plan& plan) {
  const Parallelism& asked = plan.step.parallelism;
  for (const Axis axis : {Axis::spatial, Axis::expert, Axis::embedding, Axis::tensor, Axis::pipeline}) {
    if (asked[axis] == 1) continue;
    const int ranks = asked[axis] * asked[Axis::data];
    std::vector<int> lengths;
    for (int length = ranks; length > 1; --length)
      if (ranks % length == 0 && length != asked[axis]) lengths.push_back(length);
    std::stable_sort(lengths.begin(), lengths.end(),
                     [&](int a, int b) { return std::abs(a - asked[axis]) < std::abs(b - asked[axis]); });
    for (const int length : lengths) {
      Parallelism other = asked;
      other[axis] = length;
      other[Axis::data] = ranks / length;
      if (split_otherwise(plan, other)) return fmt::format("{}={}", name(axis), length);
    }
  }
  return {};
}

}  // namespace

ParallelismRequest asked_parallelism(const PredictRequest& request, const Model& model, int ranks) {
  ParallelismRequest asked = parse_parallelism(request.parallelism, ranks);
  const std::string group = setting(request.settings, "batch_norm_group");
  if (!group.empty()) take_normalization_group(asked.parallelism, group, model);
  return asked;
}

ShardedModel model_part(const Plan& plan) {
  const Parallelism& parallelism = plan.step.parallelism;
  ShardedModel part = plan.model;
  if (parallelism[Axis::spatial] > 1) part = split_spatial(std::move(part), parallelism[Axis::spatial]);
  if (parallelism[Axis::normalization] > 1) part = distribute_normalization(std::move(part));
  if (parallelism[Axis::expert] > 1) {
    const std::string capacity = setting(plan.settings, "capacity", "1");
    part = split_experts(std::move(part), parallelism[Axis::expert], parse_number(capacity));
  }
  if (parallelism[Axis::embedding] > 1)
    part = split_embeddings(std::move(part), parallelism[Axis::embedding], table_placement(plan));
  if (parallelism[Axis::tensor] > 1)
    part = split_tensor(std::move(part), parallelism[Axis::tensor],
                        setting(plan.settings, "sequence_parallel", "off") == "on");
  return part;
}

std::optional<PipelinePlan> pipeline_plan(const Plan& plan) {
  const int stages = plan.step.parallelism[Axis::pipeline];
  if (stages == 1) return {};
  PipelinePlan pipeline;
  pipeline.schedule = parse<PipelineSchedule>(setting(plan.settings, "pipeline_schedule", "1f1b"));
  pipeline.chunks = parse_count(setting(plan.settings, "pipeline_chunks", "1"));
  const int parts = stages * pipeline.chunks;
  if (pipeline.schedule == PipelineSchedule::gpipe) {
    pipeline.first_layers = flop_stages(plan.part, parts, plan.step.fusion);
    return pipeline;
  }
  const KernelCost cost(plan.cluster.accelerator, plan.step.precision, {});
  const auto costs = layer_costs(plan.part, plan.step, [&](const KernelWork& work) {
    const KernelTime time = cost.time(work);
    return time.work + time.fixed;
  });
  pipeline.first_layers = balanced_stages(plan.part, costs, parts, plan.step.fusion);
  return pipeline;
}

std::optional<Plan> split_otherwise(const Plan& plan, const Parallelism& parallelism) {
  Plan other;
  other.settings = plan.settings;
  other.model = plan.model;
  other.cluster.accelerator = plan.cluster.accelerator;
  other.step = plan.step;
  other.step.parallelism = parallelism;
  try {
    other.part = model_part(other);
    other.pipeline = pipeline_plan(other);
  } catch (const Infeasible&) {
    return std::nullopt;
  }
  return other;
}

void split(Plan& plan) {
  try {
    plan.part = model_part(plan);
    plan.pipeline = pipeline_plan(plan);
  } catch (const Infeasible& e) {
    const std::string other = nearest_split(plan);
    if (other.empty() || std::string_view(e.what()).find(other + " ") != std::string_view::npos) throw;
    throw Infeasible(fmt::format("{}{} on {} accelerators {} does", e.what(),
                                 std::string_view(e.what()).find(';') == std::string_view::npos ? ";" : ", and",
                                 plan.step.parallelism.ranks(), other));
  }
}

void check_axis_settings(const Settings& settings, const Parallelism& parallelism) {
  for (const auto& [key, axis] : kAxisSettings) {
    const std::string value = setting(settings, std::string(key));
    if (value.empty() || parallelism[axis] > 1) continue;
    throw InputError(fmt::format("--set {}={}", key, value),
                     fmt::format("changes nothing without --parallelism {}=N", name(axis)));
  }
  const std::string mesh = setting(settings, "mesh");
  if (!mesh.empty() && parallelism == data_parallel(parallelism.ranks()))
    throw InputError(fmt::format("--set mesh={}", mesh), "changes nothing where data is the only axis");
}

}  // namespace mlsim::sim
