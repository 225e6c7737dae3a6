// A `LayoutEstimate` is what a step of a language model takes and keeps in a layout, in closed form and in
// microseconds: it sorts hundreds of layouts, of which a few are then costed in full.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::sim {

/// A `SplitChoice` is one way to lay a language model out. Data ranks are what the others leave.
struct SplitChoice {
  int tensor = 1, context = 1, expert = 1, pipeline = 1, interleave = 1, micro_batch = 1;
  StateSharding sharding = StateSharding::optimizer;
  Recompute recompute = Recompute::off;
  int recompute_blocks = 0;  // of each chunk; 0: all
  bool operator==(const SplitChoice&) const = default;
};

/// The parts of a step's time; `bubble` is that of the schedule's formula (arXiv:2104.04473, section 2.2).
struct LayoutEstimate {
  Seconds compute, bubble, inside, data;  // inside: exchanges of tensor, context and expert ranks and between stages
  Bytes memory;
  int micro_batches = 1;
  Seconds time() const { return compute + bubble + inside + data; }
};

/// Estimates rest on the data sheet's rates of kernels and links (sim/plan/model_part.hpp cuts stages by the same), and
/// on the model's part of each split, which it keeps.
class LayoutEstimator {
 public:
  /// The plan must outlive the estimator.
  LayoutEstimator(const Plan& plan, double global_batch);

  /// Says whether the choice covers the ranks and divides model and batch.
  bool is_possible(const SplitChoice& choice);
  LayoutEstimate estimate(const SplitChoice& choice);
  /// Returns the plan's step in this layout.
  StepPlan step(const SplitChoice& choice) const;

 private:
  struct Compute {
    Seconds blocks, ends;  // of repeated blocks, and of what stands before and behind them
  };
  // A `Part` is the model cut along tensor, context and expert, and what one sample of it keeps in the passes.
  struct Part {
    std::optional<ShardedModel> sharded;                   // empty where it cannot be cut so
    Bytes state_parameters;                                // of one rank, in parameters
    std::map<Recompute, Bytes> kept;                       // per sample, of all layers
    std::map<std::pair<int, Recompute>, Compute> compute;  // of a micro-batch of so many samples
    Bytes exchanged;                                       // per sample, on the wire of the inner ranks
  };
  Part& part(const SplitChoice& choice);
  double recomputed_share(const SplitChoice& choice) const;
  Compute compute_of(Part& part, const SplitChoice& choice, Recompute recompute);
  Compute compute_of(Part& part, const SplitChoice& choice);
  Seconds stage_time(const Compute& compute, const SplitChoice& choice) const;
  Bytes kept_of(Part& part, Recompute recompute);
  Bytes kept_of(Part& part, const SplitChoice& choice);
  Bytes memory(Part& part, const SplitChoice& choice, int data);
  BytesPerSecond rate(int ranks, int inner) const;
  int data_ranks(const SplitChoice& choice) const;

  const Plan& plan_;
  double batch_;
  int repetitions_ = 0;
  KernelCost kernels_;
  bool tensor_overlap_ = false;
  std::map<std::tuple<int, int, int>, Part> parts_;
};

}  // namespace mlsim::sim
