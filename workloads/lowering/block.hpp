// A block is what a model repeats, or a part of it under a name of its own: stages are cut and parameters gathered
// between blocks.
#pragma once

#include <vector>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Returns the layers in front of which no kernel is cut in two, 0 first.
std::vector<int> kernel_starts(const Model& model, bool fusion);

/// Returns those of kernel_starts() that are in front of another block, 0 first: a repetition of repeated blocks,
/// another block, or a layer outside of blocks.
std::vector<int> block_starts(const Model& model, bool fusion);

}  // namespace mlsim::workloads
