// An `OperationGraph` is operations on tensors as data, for a library that looks for one kernel that does all of them.
//
// cuDNN calls it an operation graph: nodes read and write tensors, and data that only lies between two nodes is never
// in memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/cuda/cudnn/image_windows.hpp"

namespace mlsim::kernels::cuda {

/// The dims are batch x channels x height x width, or of weights outputs x channels of a group x kernel's height x its
/// width. In memory channels lie together.
struct GraphTensor {
  std::array<std::int64_t, 4> dims{1, 1, 1, 1};
  Format format = Format::fp32;
  bool is_virtual = false;  // between two nodes, never in memory
  bool operator==(const GraphTensor&) const = default;

  std::int64_t elements() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
  /// Returns the strides of the dims, in their order and in elements.
  std::array<std::int64_t, 4> strides() const;
};

/// A node reads and writes:
///   convolution      image, weights -> image
///   input_gradient   gradient of a convolution's output, weights -> gradient of its input
///   multiply, add    tensor, tensor with extents as the first's or 1 -> tensor
///   relu             tensor -> tensor
///   relu_gradient    gradient of a ReLU's output, the ReLU's input -> gradient of that input
///   statistics       image -> sum of each channel, sum of its squares, both in fp32
enum class GraphOp { convolution, input_gradient, multiply, add, relu, relu_gradient, statistics };

struct GraphNode {
  GraphOp op = GraphOp::relu;
  std::vector<int> inputs, outputs;  // tensors by their number
  bool operator==(const GraphNode&) const = default;
};

struct OperationGraph {
  ImageWindows windows;              // what its convolution does
  std::vector<GraphTensor> tensors;  // numbered from 0
  std::vector<GraphNode> nodes;      // each behind those whose tensors it reads

  const GraphTensor& tensor(int number) const { return tensors.at(number); }
  /// Returns the node that writes a tensor; null where it is an input.
  const GraphNode* writer(int tensor) const;
  bool is_read(int tensor) const;
};

/// Counts the tensors in memory, each once: the least that any kernel moves.
Bytes graph_bytes(const OperationGraph& graph);

/// Throws std::logic_error where a node's tensors are not of the kinds and extents above, a tensor is written twice,
/// read before it is written or not used at all, or a virtual one is an input or a result.
void verify(const OperationGraph& graph);

/// TensorValues give elements of tensors by their index in memory, under the tensors' numbers.
using TensorValues = std::map<int, ElementAt>;

/// Returns element i of a tensor, computed from the `known` ones, of which the graph's inputs have to be.
double graph_element(const OperationGraph& graph, int tensor, std::int64_t i, const TensorValues& known);

/// Counts the products or terms that an element of a result sums, where tensors that are read again are known.
double graph_depth(const OperationGraph& graph, int tensor);

}  // namespace mlsim::kernels::cuda
