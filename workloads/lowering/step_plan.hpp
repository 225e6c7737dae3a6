// A StepPlan says how a step is laid out on the ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/lowering/recompute_modules.hpp"
#include "workloads/lowering/state_sharding.hpp"

namespace mlsim::workloads {

/// A GradientGuard is what a step does to its gradients between their exchange and the update: loss scaling, clipping.
struct GradientGuard {
  bool loss_scaling = false;  // the loss is a multiple, so that small gradients are not 0 in 16 bits
  bool clipping = false;      // gradients shrink where their norm is above a bound
  bool operator==(const GradientGuard&) const = default;
};

struct GuardPass {
  std::string name;
  UpdatePass pass;
  bool adds_up = false;  // over all tensors, and over the ranks that hold parts of them
};

/// Lists the passes over all gradients, in order, in fp32 (MLBench's FP16Optimizer and torch.nn.utils.clip_grad_norm_):
/// scaled gradients are divided (8 bytes: read, write), their norm is taken, which is also where an overflow shows (4
/// bytes), and they are multiplied where it is too large (8 bytes). One kernel each for all tensors, or for each of
/// them. That the loss is multiplied is one number.
std::vector<GuardPass> guard_passes(const GradientGuard& guard);

/// A background thread that looks for gradients in its own cycles composes these (sim/step_cost/horovod.hpp).
struct FusionCycles {
  std::vector<int> bucket_of_tensor;   // by tensor in the order of gradient_buckets
  std::vector<int> cycle_of_bucket;    // ascending
  std::vector<Seconds> wait_of_cycle;  // from its last gradient, or the wait before where that ends later, to its start
  bool operator==(const FusionCycles&) const = default;
};

/// Recompute says what runs forward again in the backward pass and is not kept until then: nothing; modules of blocks
/// (recompute_modules.hpp), where none are named what attention makes between its operands and its result (Korthikanti
/// et al., arXiv:2205.05198, section 5); or repeated blocks, which keep their inputs only.
enum class Recompute { off, selective, full };
inline Words<Recompute> words(Recompute) { return {"recompute", {"off", "selective", "full"}}; }

/// Offload says what lies in the host's memory while the accelerator does not read it: a share of the activations that
/// the backward pass reads again (Yuan et al., USENIX ATC 2024; Megatron-LM, --fine-grained-activation-offloading), and
/// the optimizer's state with the fp32 weights, which the host then updates (--optimizer-cpu-offload).
struct Offload {
  double activations = 0;  // from 0 to 1
  bool optimizer = false;
  bool operator==(const Offload&) const = default;
};

/// The plan is the same on every rank.
struct StepPlan {
  Parallelism parallelism;
  double batch_per_accelerator = 1;  // samples that go through one rank's part of the model; where an axis splits a
                                     // sample, more than the global batch over the ranks
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::momentum;
  Bytes gradient_element{4};                  // bytes of one gradient on the wire
  std::optional<Precision> weight_precision;  // of gathered weights; without: that of the step
  Bytes bucket = mebibytes(25);               // gradients are exchanged in buckets of about this size
  Bytes first_bucket = mebibytes(1);
  std::optional<FusionCycles> cycles;  // in place of buckets by size; of a step whose ranks share all gradients
  bool overlap = true;                 // buckets are exchanged while the backward pass goes on
  bool fusion = true;                  // elementwise layers merge into the kernel before them
  StateSharding sharding = StateSharding::none;  // over the gradient axes but replica
  bool reshard = true;                           // sharded parameters are freed behind a pass and gathered again
  bool gather_overlap = false;      // new weights are gathered under the next forward pass, not behind the update
  bool pipeline_overlap = true;     // stages send to one another beside their kernels
  bool gradients_in_place = false;  // they are kept in the format in which they are sent, and sent from there
  bool parameter_servers = false;   // variables are pulled and gradients pushed; servers update
  bool one_program = false;         // of the accelerator's, in which host layers take their turn (TPU)
  int cores = 1;                    // of an accelerator, which hold and update a model each
  bool multi_tensor = true;         // the update is one kernel for all tensors, else the framework's kernels for each
  bool pipelined_summation = true;  // else gradients are copied to one buffer and back, around their exchange
  GradientGuard guard;
  Recompute recompute = Recompute::off;
  RecomputeModules recompute_modules{RecomputeModule::core_attention};  // of selective recompute
  int recompute_blocks = 0;  // so many repeated blocks of each stage's chunk, the first; 0: all
  Offload offload;
  int micro_batches = 1;  // gradients of so many parts of the batch add up before the exchange
  bool operator==(const StepPlan&) const = default;

  bool shards(StateSharding at_least) const { return sharding >= at_least; }
  /// Sharded gradients leave with each micro-batch, but on the stages of a pipeline, whose ranks keep all of them until
  /// the last one (pytorch/torchtitan, distributed/pipeline_parallel.py: gradients are synchronised once).
  bool reduces_each_micro_batch() const { return shards(StateSharding::gradients) && parallelism[Axis::pipeline] == 1; }
  /// Returns the axes of the ranks that share out the state of parameters whose gradients are summed over `gradients`:
  /// none without sharding, and replicas never.
  AxisSet shard_axes(AxisSet gradients) const {
    return sharding == StateSharding::none ? AxisSet() : parallelism.used(gradients).without(Axis::replica);
  }
  /// Blocks are gathered as the forward pass comes to them.
  bool gathers_in_pass() const {
    return shards(StateSharding::parameters) || (gather_overlap && shards(StateSharding::optimizer));
  }
  int shard_ranks(AxisSet gradients) const { return parallelism.size_of(shard_axes(gradients)); }
  /// Returns the bytes of a weight as ranks gather it.
  Bytes gathered_weight() const { return element_size(weight_precision.value_or(precision)); }
};

/// Returns the samples that one rank's host delivers: ranks that share a sample read it once.
double input_samples(const StepPlan& plan);

/// Throws InputError where a number of the plan has no meaning (no rank, no sample, no micro-batch, a negative size).
void check_plan(const StepPlan& plan);

}  // namespace mlsim::workloads
