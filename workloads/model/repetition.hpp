// Which repetition of a repeated block each layer belongs to, read off the layers' names.
#pragma once

#include <vector>

#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// By layer: the number of its innermost repetition ("encoder.block3." of "encoder.block3.attention.query"), counted
/// from 0 in order of appearance, or -1 outside of repeated blocks.
std::vector<int> repetition_of_layer(const Model& model);

}  // namespace mlsim::workloads
