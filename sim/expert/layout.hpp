// A `Layout` says how a model is put into the memory of its accelerators; the quickest of many are found by estimate.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/request.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::sim {

/// A `Layout` says how a model is put into the memory of its accelerators: split, with its update sharded, with fused
/// attention, with activations computed again.
struct Layout {
  std::string parallelism;  // "embedding=8" beside what was asked; empty: as asked
  bool rows = false;        // of embedding tables, each table over all ranks
  bool flash = false;
  std::optional<StateSharding> sharding;  // empty: as asked
  bool across_slices = false;             // sharded over the ranks of all slices, not of each
  std::optional<Recompute> recompute;     // empty: as asked
  int recompute_blocks = 0;               // of each stage's chunk; 0: all
  int groups = 1;                         // of ranks that share samples
  int micro_batches = 1;                  // at least
  int most_samples = 0;                   // of a group that fit in one micro-batch

  /// Tells whether it is as was asked.
  bool plain() const { return parallelism.empty() && !flash && !sharding && !recompute; }
  /// Writes "tensor=4, attention=flash"; empty where it is as asked.
  std::string text() const;
  /// Gives the question with it.
  PredictRequest of(PredictRequest request) const;
};

/// Lists the layouts with which a sample of `plan`, of `request`, fits `room` on each accelerator, or where none does
/// all its memory: the plan's own layout where it fits, and of each split, the model whole, its embedding tables or
/// experts over the fewest ranks that hold them, the rows of tables over all, or its matrices over those of a node, the
/// one that costs least: its update sharded, attention fused, activations computed again, of a batch that is told in as
/// few blocks as will do. What the question says stays. The list is empty where none fits.
std::vector<Layout> layouts_that_fit(const PredictRequest& request, const Plan& plan, Bytes room);

/// A `SplitChoice` is one way to lay a language model out. Data ranks are what the others leave.
struct SplitChoice {
  int tensor = 1, context = 1, expert = 1, pipeline = 1, interleave = 1, micro_batch = 1;
  StateSharding sharding = StateSharding::optimizer;
  bool across_slices = false;  // sharded over the ranks of all slices
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
  /// Returns the memory of the estimate alone, which is quicker to find than the time.
  Bytes memory(const SplitChoice& choice);
  /// Returns the plan's step in this layout.
  StepPlan step(const SplitChoice& choice) const;

 private:
  struct Compute {
    Seconds blocks, ends;  // of repeated blocks, and of what stands before and behind them
  };
  // A `Part` is the model cut along tensor, context and expert, and what one sample of it keeps in the passes.
  struct Part {
    std::optional<ShardedModel> sharded;                   // empty where it cannot be cut so
    double parameters = 0, trained = 0;                    // of one rank; those that are not frozen
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
  BytesPerSecond rate(int ranks, int inner) const;
  Seconds data_time(Bytes bytes, const SplitChoice& choice, const StepPlan& step) const;
  int data_ranks(const SplitChoice& choice) const;

  const Plan& plan_;
  double batch_;
  int repetitions_ = 0;
  KernelCost kernels_;
  bool tensor_overlap_ = false, expert_overlap_ = false;
  std::map<std::tuple<int, int, int>, Part> parts_;
};

/// A `FoundLayout` fits, by the same account as a plan's memory check.
struct FoundLayout {
  Layout layout;
  LayoutEstimate estimate;  // its memory is exact
};

/// Says whether layouts of the plan's model are searched: of a language model on several accelerators.
bool is_searched(const Plan& plan);

/// Tries tensor x pipeline x interleave x context x expert ranks, sharding, recompute and samples of a micro-batch for
/// a step of so many samples, estimates all, and returns the quickest that fit `room` of the memory, or where none does
/// all of it, at most `most`, in the order of their estimates. What `request` sets stays. Empty where none fits.
std::vector<FoundLayout> searched_layouts(const PredictRequest& request, const Plan& plan, double global_batch,
                                          Bytes room, std::size_t most);

}  // namespace mlsim::sim
