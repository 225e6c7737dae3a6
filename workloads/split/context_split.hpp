// A context split shares out the tokens of each sample: ranks attend from their own to those of all.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"
#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// How attention gets at the tokens of other ranks:
///   ring       keys and values go round under the attention kernels (Liu et al., Ring Attention, arXiv:2310.01889;
///              Megatron-LM, --cp-comm-type p2p); their gradients come back likewise
///   allgather  keys and values are gathered before the kernels of each pass and their gradients scattered behind them
///              (the Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.2)
///   alltoall   heads are exchanged for tokens before attention and back behind it (Jacobs et al., DeepSpeed-Ulysses,
///              arXiv:2309.14509)
/// A rank has two parts of the tokens, one from each end, so that all attend to as many under a causal mask.
enum class ContextExchange : std::uint8_t { ring, allgather, alltoall };
/// Reads Megatron-LM's p2p and a2a as well.
inline Words<ContextExchange> words(ContextExchange) {
  return {"context exchange",
          {"ring", "allgather", "alltoall"},
          {{"p2p", ContextExchange::ring}, {"a2a", ContextExchange::alltoall}}};
}

/// Divides the tokens of a language model. Throws Infeasible where the model is none, or where ranks do not divide its
/// tokens, or for alltoall its heads, with the nearest that do.
ShardedModel split_context(ShardedModel sharded, int ranks, ContextExchange exchange);

}  // namespace mlsim::workloads
