#include "sim/plan/proposed_split.hpp"

#include <algorithm>

#include "sim/plan/part_memory.hpp"

namespace mlsim::sim {
namespace {

bool has_layer(const Model& model, LayerKind kind) {
  return std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) { return layer.kind == kind; });
}

bool one_fits(const PartSource& source, const StepPlan& step) {
  const std::optional<ModelPart> part = possible_split(source, step);
  return part && most_samples(*part, step, source.accelerator.memory.value) > 0;
}

}  // namespace

Parallelism with_split(Parallelism parallelism, const ProposedSplit& split) {
  parallelism[split.axis] = split.ranks;
  parallelism[Axis::data] /= split.ranks;
  return parallelism;
}

std::optional<ProposedSplit> proposed_split(const PartSource& source, const StepPlan& step) {
  for (const auto& [kind, axis] :
       {std::pair(LayerKind::expert_dense, Axis::expert), std::pair(LayerKind::embedding_bag, Axis::embedding)}) {
    if (!has_layer(source.model, kind)) continue;
    if (one_fits(source, step)) return std::nullopt;
    const int data = step.parallelism[Axis::data];
    for (int ranks = 2; ranks <= data; ranks *= 2) {
      if (data % ranks != 0) continue;
      StepPlan split = step;
      split.parallelism = with_split(step.parallelism, {axis, ranks});
      if (one_fits(source, split)) return ProposedSplit{axis, ranks};
    }
  }
  return std::nullopt;
}

}  // namespace mlsim::sim
