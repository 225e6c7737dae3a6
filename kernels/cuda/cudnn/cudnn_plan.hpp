// A `CudnnPlan` is a kernel that cuDNN offers for an operation graph, which it takes as a graph of its descriptors.
#pragma once

#include <cudnn.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/kernel/precision.hpp"
#include "kernels/cuda/cudnn/cudnn_library.hpp"
#include "kernels/cuda/cudnn/operation_graph.hpp"

namespace mlsim::kernels::cuda {

/// Returns the library's name for the type of an attribute's elements.
template <class T>
constexpr cudnnBackendAttributeType_t attribute_type() {
  static_assert(!std::is_same_v<T, int>, "whole numbers have 64 bits");
  if constexpr (std::is_same_v<T, std::int64_t>) return CUDNN_TYPE_INT64;
  if constexpr (std::is_same_v<T, float>) return CUDNN_TYPE_FLOAT;
  if constexpr (std::is_same_v<T, bool>) return CUDNN_TYPE_BOOLEAN;
  if constexpr (std::is_same_v<T, char>) return CUDNN_TYPE_CHAR;
  if constexpr (std::is_same_v<T, cudnnHandle_t>) return CUDNN_TYPE_HANDLE;
  if constexpr (std::is_same_v<T, cudnnDataType_t>) return CUDNN_TYPE_DATA_TYPE;
  if constexpr (std::is_same_v<T, cudnnConvolutionMode_t>) return CUDNN_TYPE_CONVOLUTION_MODE;
  if constexpr (std::is_same_v<T, cudnnPointwiseMode_t>) return CUDNN_TYPE_POINTWISE_MODE;
  if constexpr (std::is_same_v<T, cudnnGenStatsMode_t>) return CUDNN_TYPE_GENSTATS_MODE;
  if constexpr (std::is_same_v<T, cudnnBackendHeurMode_t>) return CUDNN_TYPE_HEUR_MODE;
  if constexpr (std::is_same_v<T, cudnnBackendNumericalNote_t>) return CUDNN_TYPE_NUMERICAL_NOTE;
  if constexpr (std::is_same_v<T, cudnnBackendDescriptor_t>) return CUDNN_TYPE_BACKEND_DESCRIPTOR;
}

/// A `BackendDescriptor` is a descriptor of cuDNN's graph interface, destroyed in the end.
class BackendDescriptor {
 public:
  explicit BackendDescriptor(cudnnBackendDescriptorType_t type) {
    check(cudnnBackendCreateDescriptor(type, &handle_), "making a descriptor");
  }
  ~BackendDescriptor() {
    if (handle_ != nullptr) cudnnBackendDestroyDescriptor(handle_);
  }
  BackendDescriptor(BackendDescriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  BackendDescriptor(const BackendDescriptor&) = delete;
  BackendDescriptor& operator=(const BackendDescriptor&) = delete;
  BackendDescriptor& operator=(BackendDescriptor&&) = delete;
  cudnnBackendDescriptor_t get() const { return handle_; }

  template <class T>
  void set(cudnnBackendAttributeName_t name, const T& value) {
    set_array(name, attribute_type<T>(), 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const BackendDescriptor& other) { set(name, other.handle_); }
  /// Sets all elements of a container in contiguous memory.
  template <class Container>
  void set_all(cudnnBackendAttributeName_t name, const Container& values) {
    set_array(name, attribute_type<typename Container::value_type>(), values.size(), values.data());
  }
  void set_pointers(cudnnBackendAttributeName_t name, const std::vector<void*>& pointers) {
    set_array(name, CUDNN_TYPE_VOID_PTR, pointers.size(), pointers.data());
  }

  /// Returns the values of an attribute, at most `most`.
  template <class T>
  std::vector<T> get_all(cudnnBackendAttributeName_t name, std::size_t most) const {
    std::vector<T> values(most);
    std::int64_t count = 0;
    check(cudnnBackendGetAttribute(handle_, name, attribute_type<T>(), static_cast<std::int64_t>(most), &count,
                                   values.data()),
          "reading a descriptor");
    values.resize(std::min(most, static_cast<std::size_t>(count)));
    return values;
  }

  void finalize(const char* doing) { check(cudnnBackendFinalize(handle_), doing); }

 private:
  void set_array(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t count,
                 const void* values) {
    check(cudnnBackendSetAttribute(handle_, name, type, static_cast<std::int64_t>(count), values),
          "describing an operation graph");
  }

  cudnnBackendDescriptor_t handle_ = nullptr;
};

/// Kernels are looked for on this device: the GPU of the handle or, without one, a GPU of which a
/// CUDNN_BACKEND_DEVICEPROP descriptor says the properties (cuDNN 9.8).
struct GraphTarget {
  cudnnHandle_t handle = nullptr;
  cudnnBackendDescriptor_t properties = nullptr;
};

/// A `CudnnGraph` is an operation graph as cuDNN's descriptors.
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

/// Engine configurations stand in the order of the time that the library expects, then those that it falls back to.
struct PlanOffers {
  std::vector<BackendDescriptor> configurations;
  std::string refusal;  // why something was left out, where it was
};

/// Returns the library's configurations for the graph; in fp32 none that rounds to fewer bits.
PlanOffers plan_offers(const CudnnGraph& graph, Precision precision);

/// A plan is one of them, ready to run; the library compiles some of them for that.
struct CudnnPlan {
  BackendDescriptor configuration, plan;
};

struct CudnnPlans {
  std::vector<CudnnPlan> ready;
  std::string refusal;  // why the last one is not
};

/// Finds the first `most` that take no more than `workspace` bytes; configurations that are not tried are dropped.
CudnnPlans find_plans(const CudnnGraph& graph, PlanOffers offers, std::size_t workspace, std::size_t most);

}  // namespace mlsim::kernels::cuda
