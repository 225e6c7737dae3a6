// A `CudnnGraph` is an operation graph as cuDNN's descriptors.
#pragma once

#include "kernels/cuda/cudnn/backend_descriptor.hpp"
#include "kernels/cuda/cudnn/operation_graph.hpp"

namespace mlsim::kernels::cuda {

/// Kernels are looked for on this device: the GPU of the handle or, without one, a GPU of which a
/// CUDNN_BACKEND_DEVICEPROP descriptor says the properties (cuDNN 9.8).
struct GraphTarget {
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t properties = nullptr;
};

class CudnnGraph {
 public:
  /// Throws Unavailable where the library refuses a tensor, a node or their connection.
  CudnnGraph(const OperationGraph& graph, const GraphTarget& target);

  const BackendDescriptor& descriptor() const { return graph_; }
  const GraphTarget& target() const { return target_; }

  /// Packs the tensors that lie in memory, each at its place in `pointers`, and a workspace, ready to be run on.
  BackendDescriptor variant_pack(const std::vector<void*>& pointers, void* workspace) const;

 private:
  void add_tensor(const GraphTensor& tensor);
  void add_node(const OperationGraph& graph, const GraphNode& node);
  void add_convolution(const OperationGraph& graph, const GraphNode& node);
  void add_pointwise(const GraphNode& node);
  void add_statistics(const GraphNode& node);
  const BackendDescriptor& tensor(int number) const { return tensors_.at(number); }

  GraphTarget target_;
  std::vector<std::int64_t> stored_;  // tensors in memory
  std::vector<BackendDescriptor> tensors_, parts_, operations_;
  BackendDescriptor graph_;
};

}  // namespace mlsim::kernels::cuda
