// Compiled blocks are the parts of a network that a compiler gets as functions; the rest runs operator by operator.
#pragma once

#include <string>
#include <vector>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Marks every layer outside of `blocks` as eager, so that nothing merges with it (tf.function with jit_compile). A
/// name stands for all blocks and layers that have it between the dots of their name: "encoder" and "encoder.block3"
/// for encoder.block3.norm. Throws InputError with the nearest name for one that the model does not have.
void compile_only(Model& model, const std::vector<std::string>& blocks);

}  // namespace mlsim::workloads
