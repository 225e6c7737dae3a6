// A partition says where a model is cut into the stages of a pipeline.
#pragma once

#include <functional>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/units.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// `LayerPasses` are the times of the forward and backward kernels that a layer leads, on one micro-batch.
struct LayerPasses {
  Seconds once, again;  // again: forward kernels that recompute runs once more
  double load = 1;      // of the busiest rank
  Seconds all() const { return (once + again) * load; }
  Seconds without_again() const { return once * load; }
};
/// passes[i] are those of layer i. `time` is that of one kernel.
std::vector<LayerPasses> layer_passes(const ShardedModel& sharded, const StepPlan& plan,
                                      const std::function<Seconds(const KernelWork&)>& time);

/// cost[i]: the time of all that layer_passes() has of layer i.
std::vector<Seconds> layer_costs(const ShardedModel& sharded, const StepPlan& plan,
                                 const std::function<Seconds(const KernelWork&)>& time);

/// crossing[i]: elements per sample of the tensors that are made before layer i and read by it or later layers, which a
/// cut in front of it sends on, skip connections past several stages included.
std::vector<double> crossing_elements(const Model& model);

/// Returns the first layer of each of `stages` consecutive stages, 0 for the first, such that the largest sum of
/// `layer_cost` (by layer) over a stage is least. Cuts fall between blocks, as GPipe's between cells and Megatron's
/// between transformer layers: repetitions of repeated blocks, other blocks, and layers outside of blocks. Where those
/// are too few, they fall between any kernels (workloads/lowering/kernel_group.hpp). Of the cuts whose largest stage is
/// within 1 % of the least, those that send the fewest bytes count. O(layers + stages x blocks). Throws Infeasible
/// where there are more stages than kernels to cut between, with the most that works.
std::vector<int> balanced_stages(const ShardedModel& sharded, const std::vector<Seconds>& layer_cost, int stages,
                                 bool fusion);

/// Cuts as GPipe does: a block is in stage floor(p stages), where p is the part of the model's forward FLOP up to its
/// end (tensorflow/lingvo, core/gpipe.py, PartitionSequentialLayers), or in the next one where a stage would be empty.
std::vector<int> flop_stages(const ShardedModel& sharded, int stages, bool fusion);

}  // namespace mlsim::workloads
