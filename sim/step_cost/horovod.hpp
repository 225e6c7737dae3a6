// Horovod's background thread looks for gradients in cycles, agrees on them between ranks, and exchanges what it finds
// in a fusion buffer. What is fused follows from when gradients are ready.
#pragma once

#include <functional>
#include <vector>

#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::sim {

struct ReadyTensor {
  Bytes bytes;    // on the wire
  Seconds ready;  // since the step began
};

/// A bucket holds the numbers of tensors that are exchanged together.
struct FusedBucket {
  std::vector<int> tensors;
  Bytes bytes;
  int cycle = 0;  // of FusionTimeline::cycles
};
struct FusionTimeline {
  struct Cycle {
    Seconds ready;  // of the last gradient that it finds
    Seconds tick;   // it looks
    Seconds start;  // ranks have agreed: its exchanges may begin
  };
  std::vector<FusedBucket> buckets;  // in the order of their exchange
  std::vector<Cycle> cycles;         // those that find something
};
/// Fuses by cycles, which begin every `options.cycle` from the start of the step on, or when the agreement of the one
/// before ends, where that is later; `agreement` takes so long for so many tensors. A tensor is seen by the first cycle
/// that begins when it is ready or later. Those that a cycle sees are fused in the order in which they were ready: as
/// many as fit into the buffer, at least one (docs/tensor-fusion.rst).
FusionTimeline fuse_by_cycles(const std::vector<ReadyTensor>& tensors, const HorovodOptions& options,
                              const std::function<Seconds(int)>& agreement);

/// Gives how long ranks take to agree on `tensors` tensors. With all responses cached it is one small all-reduce of
/// bits, ceil(log2 N) messages. Else every rank's list goes to the coordinator and its answer comes back: a gather of
/// sizes, a gather of lists, two broadcasts, and a microsecond of the coordinator's for each message and each request
/// in it (Kurth et al., arXiv:1810.01993, whose coordinator of 27,360 ranks had millions of messages a second;
/// assumed). A message takes what one takes from the first to the last rank.
Seconds agreement_time(const Cluster& cluster, const LinkEfficiency& efficiency, const HorovodOptions& options,
                       int tensors);

/// Says when each gradient tensor of the plan is ready, in the order of gradient_buckets: the closed form of the step
/// without exchange, slowed as beside other ranks.
std::vector<ReadyTensor> ready_tensors(const Plan& plan, const KernelCost& cost);

/// Fuses the buckets of a plan with exchange=horovod.
FusionCycles horovod_cycles(const Plan& plan, const KernelCost& cost);

/// Writes "13 all-reduces in 12 cycles of 5 ms, at most 64 MiB fused".
Statement horovod_statement(const FusionCycles& cycles, const HorovodOptions& options);

}  // namespace mlsim::sim
