// StateSharding says which state of the training data-parallel ranks share out instead of each keeping all of it.
#pragma once

#include "core/text/words.hpp"

namespace mlsim::workloads {

/// Each value shares out what those before it do, and more (Rajbhandari et al., ZeRO, arXiv:1910.02054):
///   none        nothing: gradients are all-reduced and every rank updates all weights
///   optimizer   the optimizer's state: a reduce-scatter, an update of 1/N, an all-gather of the new weights (ZeRO-1)
///   gradients   gradients too: each micro-batch ends with the reduce-scatter (ZeRO-2)
///   parameters  parameters too: blocks are gathered before they run (ZeRO-3; FSDP, Zhao et al., arXiv:2304.11277)
enum class StateSharding { none, optimizer, gradients, parameters };
/// Reads the names of DeepSpeed's stages and of PyTorch's FSDP as well.
inline Words<StateSharding> words(StateSharding) {
  return {"sharding",
          {"none", "optimizer", "gradients", "parameters"},
          {{"zero1", StateSharding::optimizer},
           {"zero2", StateSharding::gradients},
           {"zero3", StateSharding::parameters},
           {"fsdp", StateSharding::parameters}}};
}

}  // namespace mlsim::workloads
