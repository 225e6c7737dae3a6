// The reference says what an operation graph should give, element by element in float64.
#pragma once

#include <map>

#include "kernels/cuda/cudnn/operation_graph.hpp"

namespace mlsim::kernels::cuda {

/// TensorValues give elements of tensors by their index in memory, under the tensors' numbers.
using TensorValues = std::map<int, ElementAt>;

/// Returns element i of a tensor, computed from the `known` ones, of which the graph's inputs have to be.
double graph_element(const OperationGraph& graph, int tensor, std::int64_t i, const TensorValues& known);

/// Counts the products or terms that an element of a result sums, where tensors that are read again are known.
double graph_depth(const OperationGraph& graph, int tensor);

}  // namespace mlsim::kernels::cuda
