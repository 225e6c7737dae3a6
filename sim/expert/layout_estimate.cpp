#include "sim/expert/layout.hpp"

#include <algorithm>
#include <cmath>

#include "sim/collectives/algorithms.hpp"
#include "sim/evidence/software_class.hpp"
#include "sim/plan/layout_defaults.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/model/model.hpp"
#include "workloads/pipeline/partition.hpp"

namespace mlsim::sim {
namespace {

// Large messages reach about so much of a link's line rate (sim/links: 0.8 to 0.92 of NVLink's, 0.85 to 0.95 of NICs').
constexpr double kLinkShare = 0.85;

// Returns the bytes that a rank sends for a payload in a ring.
double ring_passes(CollectiveKind kind, int ranks) {
  const double others = (ranks - 1.0) / ranks;
  return kind == CollectiveKind::all_reduce ? 2 * others : others;
}

// Returns how much of a payload each of whose elements goes to `copies` of `ranks` crosses the network by node.
double share_of_copies(const Cluster& cluster, int ranks, int copies) {
  const int nodes = ranks * cluster.nodes / cluster.ranks();
  return copies > 1 && nodes > 1 ? nodes_reached(nodes, copies) / copies : 1;
}

}  // namespace

LayoutEstimator::LayoutEstimator(const Plan& plan, double global_batch)
    : plan_(plan),
      batch_(global_batch),
      repetitions_(repetitions_of(plan.model)),
      kernels_(plan.cluster->accelerator, plan.step.precision, {}),
      tensor_overlap_(plan.options.parallelism.tensor_overlap.value_or(
          overlaps_tensor_exchanges(plan.options.software.stack, plan.cluster->accelerator))),
      expert_overlap_(plan.options.parallelism.expert_overlap) {}

int LayoutEstimator::data_ranks(const SplitChoice& choice) const {
  return plan_.cluster->ranks() / (choice.tensor * choice.context * choice.expert * choice.pipeline);
}

StepPlan LayoutEstimator::step(const SplitChoice& choice) const {
  StepPlan step = plan_.step;
  step.parallelism = {};
  step.parallelism[Axis::tensor] = choice.tensor;
  step.parallelism[Axis::context] = choice.context;
  step.parallelism[Axis::expert] = choice.expert;
  step.parallelism[Axis::pipeline] = choice.pipeline;
  step.parallelism[Axis::data] = data_ranks(choice);
  const MemoryOptions& memory = plan_.options.memory;
  if (!memory.sharding_ranks && !choice.across_slices) take_replicas(step.parallelism, memory, *plan_.cluster);
  step.sharding = step.parallelism.used(kGradientAxes).empty() ? StateSharding::none : choice.sharding;
  step.recompute = choice.recompute;
  step.recompute_blocks = choice.recompute_blocks;
  step.batch_per_accelerator = batch_ / step.parallelism.batch_ranks();
  step.micro_batches = std::max(1, static_cast<int>(step.batch_per_accelerator / choice.micro_batch));
  step.reshard = choice.pipeline == 1;
  return step;
}

LayoutEstimator::Part& LayoutEstimator::part(const SplitChoice& choice) {
  const auto [found, fresh] = parts_.try_emplace({choice.tensor, choice.context, choice.expert});
  Part& part = found->second;
  if (!fresh) return part;
  SplitChoice unstaged = choice;
  unstaged.pipeline = unstaged.interleave = 1;
  const StepPlan cut = step(unstaged);
  ParallelismOptions options = with_split_tokens(plan_.options.parallelism, plan_.model, cut.parallelism);
  if (!options.dispatch)
    options.dispatch = usual_dispatch(plan_.options.software.stack, plan_.cluster->accelerator.family);
  if (auto split = possible_split({plan_.model, plan_.cluster->accelerator, options}, cut))
    part.sharded = std::move(split->sharded);
  if (!part.sharded) return part;
  part.parameters = double(part.sharded->model.parameters());
  part.trained = double(part.sharded->model.trainable_parameters());
  for (const LayerExchange& each : part.sharded->exchanges) {
    const int ranks = cut.parallelism.size_of(each.axes);
    part.exchanged += ring_passes(each.kind, ranks) * share_of_copies(*plan_.cluster, ranks, each.copies) *
                      (element_size(cut.precision) * each.elements_per_sample + each.bytes_per_sample);
  }
  return part;
}

bool LayoutEstimator::is_possible(const SplitChoice& choice) {
  const int inner = choice.tensor * choice.context * choice.expert * choice.pipeline;
  const int ranks = plan_.cluster->ranks();
  if (inner > ranks || ranks % inner != 0) return false;
  if (choice.pipeline * choice.interleave > std::max(1, repetitions_)) return false;
  const int data = ranks / (inner / choice.expert);  // experts share the batch
  const double unit = double(data) * choice.micro_batch;
  if (batch_ < unit || std::fmod(batch_, unit) != 0) return false;
  const int micro_batches = static_cast<int>(batch_ / unit);
  if (choice.interleave > 1 && micro_batches % choice.pipeline != 0) return false;
  return part(choice).sharded.has_value();
}

// Returns the share of the blocks that run again.
double LayoutEstimator::recomputed_share(const SplitChoice& choice) const {
  if (choice.recompute == Recompute::off || choice.recompute_blocks == 0) return 1;
  return std::min(1.0, double(choice.recompute_blocks) * choice.pipeline * choice.interleave / repetitions_);
}

LayoutEstimator::Compute LayoutEstimator::compute_of(Part& part, const SplitChoice& choice) {
  const double again = recomputed_share(choice);
  const Compute all = compute_of(part, choice, choice.recompute);
  if (again == 1) return all;
  const Compute none = compute_of(part, choice, Recompute::off);
  return {again * all.blocks + (1 - again) * none.blocks, all.ends};
}

LayoutEstimator::Compute LayoutEstimator::compute_of(Part& part, const SplitChoice& choice, Recompute recompute) {
  const auto found = part.compute.find({choice.micro_batch, recompute});
  if (found != part.compute.end()) return found->second;
  StepPlan one = step(choice);
  one.recompute = recompute == Recompute::off ? Recompute::full : recompute;  // the passes tell of both
  one.recompute_blocks = 0;
  one.batch_per_accelerator = choice.micro_batch;
  one.micro_batches = 1;
  const auto passes = layer_passes(*part.sharded, one, [&](const KernelWork& work) {
    const KernelTime time = kernels_.time(work);
    return time.work + time.fixed;
  });
  const auto repetition = repetition_of_layer(part.sharded->model);
  Compute once, all;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    (repetition[i] < 0 ? once.ends : once.blocks) += passes[i].without_again();
    (repetition[i] < 0 ? all.ends : all.blocks) += passes[i].all();
  }
  part.compute[{choice.micro_batch, Recompute::off}] = once;
  part.compute[{choice.micro_batch, one.recompute}] = all;
  return recompute == Recompute::off ? once : all;
}

// The busiest stage has the longest chunks, and of several stages the last has the head beside.
Seconds LayoutEstimator::stage_time(const Compute& compute, const SplitChoice& choice) const {
  if (choice.pipeline == 1) return compute.blocks + compute.ends;
  const int parts = choice.pipeline * choice.interleave, longest = (repetitions_ + parts - 1) / parts;
  return compute.blocks * (double(longest * choice.interleave) / repetitions_) + compute.ends;
}

Bytes LayoutEstimator::kept_of(Part& part, const SplitChoice& choice) {
  const double again = recomputed_share(choice);
  const Bytes all = kept_of(part, choice.recompute);
  return again == 1 ? all : again * all + (1 - again) * kept_of(part, Recompute::off);
}

Bytes LayoutEstimator::kept_of(Part& part, Recompute recompute) {
  const auto [found, fresh] = part.kept.try_emplace(recompute);
  if (fresh) {
    StepPlan step = plan_.step;
    step.recompute = recompute;
    step.recompute_blocks = 0;
    found->second = kept_per_sample(*part.sharded, step);
  }
  return found->second;
}

// The first stage of 1f1b keeps as many micro-batches as there are stages, of a stage's layers each: all layers' of
// one. Chunks that are interleaved keep 1 + (p - 1) / (p v) of that (arXiv:2205.05198, section 4.2.3).
Bytes LayoutEstimator::memory(const SplitChoice& choice) {
  Part& its = part(choice);
  const double parameters = its.parameters / choice.pipeline, trained = its.trained / choice.pipeline;
  const double shards = double(step(choice).parallelism[Axis::data]) * choice.expert * choice.context;
  const Bytes gradient = plan_.step.gradient_element, weight = plan_.step.gathered_weight();
  const Bytes state =
      plan_.step.offload.optimizer ? Bytes(0) : Bytes(4) + state_bytes_per_parameter(plan_.step.optimizer);
  const bool parameters_too = choice.sharding == StateSharding::parameters;
  const double whole = parameters_too ? 2.0 / repetitions_ * choice.pipeline + 1 / shards : 1;
  const double stages = choice.pipeline;
  const double in_flight = choice.interleave > 1 ? 1 + (stages - 1) / (stages * choice.interleave) : 1;
  return weight * (parameters * whole) + gradient * (trained * whole) + state * (trained / shards) +
         kept_of(its, choice) * (choice.micro_batch * in_flight);
}

// Bytes a second between `ranks` neighbours, each group `inner` ranks apart.
BytesPerSecond LayoutEstimator::rate(int ranks, int inner) const {
  const Cluster& cluster = *plan_.cluster;
  const bool inside = cluster.nodes * cluster.slices == 1 || ranks * inner <= cluster.accelerators_per_node;
  if (inside) return cluster.injection * kLinkShare;
  if (cluster.grid) return cluster.accelerator.slice_link_bandwidth.value * kLinkShare;
  return cluster.node_network / cluster.accelerators_per_node * kLinkShare;
}

// Returns how long the ranks that share a state take to gather or sum so many bytes of it: over slices each rank moves
// its part of a slice alone.
Seconds LayoutEstimator::data_time(Bytes bytes, const SplitChoice& choice, const StepPlan& step) const {
  const Cluster& cluster = *plan_.cluster;
  const int inner = choice.tensor * choice.context, sharers = step.parallelism[Axis::data] * choice.expert;
  if (!choice.across_slices) return bytes / rate(sharers, inner);
  const int in_slice = std::max(1, sharers / cluster.slices);
  return bytes / rate(in_slice, inner) + bytes / double(in_slice) / rate(cluster.ranks(), 1);
}

LayoutEstimate LayoutEstimator::estimate(const SplitChoice& choice) {
  Part& its = part(choice);
  const StepPlan step = this->step(choice);
  const int data = step.parallelism[Axis::data], inner = choice.tensor * choice.context;
  LayoutEstimate estimate;
  estimate.micro_batches = step.micro_batches;
  const double parts = step.micro_batches, stages = choice.pipeline;
  const Seconds each = stage_time(compute_of(its, choice), choice);
  const Seconds moves = its.exchanged * (choice.micro_batch / stages) / rate(std::max(inner * choice.expert, 1), 1) *
                        (choice.recompute == Recompute::full ? 1 + 0.5 * recomputed_share(choice) : 1.0);
  // What moves beside products hides under half of the passes, the first and last parts of each apart: assumed.
  const bool beside = choice.expert > 1 ? expert_overlap_ : tensor_overlap_ && choice.tensor > 1;
  const Seconds inside = beside ? std::max(0.1 * moves, moves - 0.5 * each) : moves;
  const double share = (stages - 1) / (choice.interleave * parts);
  estimate.compute = parts * each;
  estimate.inside = parts * inside;
  estimate.bubble = share * (estimate.compute + estimate.inside);
  const int sharers = data * choice.expert * choice.context;
  if (sharers > 1) {
    const bool every_pass = choice.sharding == StateSharding::parameters && step.reshard;
    const Bytes weights = plan_.step.gathered_weight() * ((every_pass ? its.parameters : its.trained) / stages);
    const Bytes gradients = step.gradient_element * (its.trained / stages);
    const Seconds moved = data_time(every_pass ? 2 * weights + gradients : weights + gradients, choice, step);
    // What moves beside kernels hides under two thirds of the passes of the micro-batch that it belongs to.
    const Seconds hidden = 2.0 / 3 * each;
    estimate.data = every_pass ? parts * max(0.1 * moved, moved - 1.5 * hidden) : max(0.3 * moved, moved - hidden);
  }
  if (const int slices = step.parallelism[Axis::replica]; slices > 1)
    estimate.data += step.gradient_element * (its.trained / stages / sharers) *
                     (ring_passes(CollectiveKind::all_reduce, slices) / rate(plan_.cluster->ranks(), 1));
  estimate.memory = memory(choice);
  return estimate;
}

}  // namespace mlsim::sim
