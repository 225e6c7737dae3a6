// Expert parallelism shares out the experts of each mixture among the ranks.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"
#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// How positions get to their experts:
///   alltoall  a copy to each expert, by an all-to-all between all ranks
///   by-node   a copy to each node that has one of its experts, from where it goes on over the links of the node, and one
///             sum back from each (deepseek-ai/DeepEP; HybridEP, --moe-flex-dispatcher-backend)
enum class ExpertDispatch : std::uint8_t { alltoall, by_node };
/// Reads the names of libraries that work by node as well.
inline Words<ExpertDispatch> words(ExpertDispatch) {
  return {"expert dispatch",
          {"alltoall", "by-node"},
          {{"deepep", ExpertDispatch::by_node}, {"hybridep", ExpertDispatch::by_node}}};
}

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
/// A position that is dispatched by node tells its exchange of how many experts it goes to (LayerExchange::copies).
///
/// An `overlapped` all-to-all runs while other micro-batches compute. A step graph has one micro-batch at a time, so that
/// kernels of the layer beside it stand for theirs.
///
/// Throws InputError where `ranks` is below 1 or `capacity` is not from 1 to 1000, and Infeasible where the model has
/// no mixture of experts or `ranks` does not divide the experts: with the nearest count that does.
ShardedModel split_experts(ShardedModel sharded, int ranks, double capacity = 1, int tensor = 1,
                           bool overlapped = false, ExpertDispatch dispatch = ExpertDispatch::alltoall);

}  // namespace mlsim::workloads
