// repetition_of_layer() reads off the layers' names which repetition of a repeated block each belongs to.
#pragma once

#include <vector>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// repetition[i]: the number of layer i's innermost repetition ("encoder.block3." of "encoder.block3.attention.query"),
/// counted from 0 in order of appearance, or -1 outside of repeated blocks.
std::vector<int> repetition_of_layer(const Model& model);

}  // namespace mlsim::workloads
