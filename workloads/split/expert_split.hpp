// Expert parallelism shares out the experts of each mixture among the ranks.
#pragma once

#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// Every rank of Axis::expert holds experts / ranks of each mixture and the whole of all else (Lepikhin et al., GShard,
/// arXiv:2006.16668). Positions travel to their experts by an all-to-all before the first expert layer of a mixture and
/// back by one behind the last; their gradients take the same ways back. A rank's payload of each is
///  positions x chosen x capacity x channels
/// a sample.
///
/// `capacity` is the positions that an expert has room for over those that an even routing would bring it. The least,
/// 1, is GShard's: 2 N / (G E) for N positions of G groups on E experts, two experts a position (section 2.2). Rooms
/// are exchanged and computed full or not, so `load` is the capacity too.
///
/// `ranks` are those of both axes where `tensor` tensor ranks share the experts, too: each then sends its own of the tokens
/// (Megatron-LM, --expert-tensor-parallel-size 1; Liu et al., arXiv:2504.14960, MoE parallel folding).
///
/// An `overlapped` all-to-all runs while other micro-batches compute. A step graph has one micro-batch at a time, so that
/// kernels of the layer beside it stand for theirs.
///
/// Throws InputError where `ranks` is below 1 or `capacity` is not from 1 to 1000, and Infeasible where the model has
/// no mixture of experts or `ranks` does not divide the experts: with the nearest count that does.
ShardedModel split_experts(ShardedModel sharded, int ranks, double capacity = 1, int tensor = 1,
                           bool overlapped = false);

}  // namespace mlsim::workloads
