#include "kernels/cuda/cudnn/cudnn_graph.hpp"

#include <array>
#include <stdexcept>

namespace mlsim::kernels::cuda {
namespace {

constexpr std::int64_t kAlignment = 16;  // bytes; a vector of the widest load, and allocations begin at 256
constexpr auto kCompute = CUDNN_DATA_FLOAT;

BackendDescriptor convolution_parameters(const ImageWindows& s) {
  const std::array<std::int64_t, 2> padding{s.padding_h(), s.padding_w()}, stride{s.stride_h, s.stride_w}, none{1, 1};
  BackendDescriptor d(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, kCompute);
  d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  d.set_all(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding);
  d.set_all(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding);
  d.set_all(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride);
  d.set_all(CUDNN_ATTR_CONVOLUTION_DILATIONS, none);
  d.finalize("describing a convolution");
  return d;
}

cudnnPointwiseMode_t pointwise_mode(GraphOp op) {
  switch (op) {
    case GraphOp::multiply: return CUDNN_POINTWISE_MUL;
    case GraphOp::add: return CUDNN_POINTWISE_ADD;
    case GraphOp::relu: return CUDNN_POINTWISE_RELU_FWD;
    case GraphOp::relu_gradient: return CUDNN_POINTWISE_RELU_BWD;
    default: throw std::logic_error("not a pointwise operation");
  }
}

BackendDescriptor pointwise_parameters(GraphOp op) {
  BackendDescriptor d(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  d.set(CUDNN_ATTR_POINTWISE_MODE, pointwise_mode(op));
  d.set(CUDNN_ATTR_POINTWISE_MATH_PREC, kCompute);
  d.finalize("describing a pointwise operation");
  return d;
}

}  // namespace

CudnnGraph::CudnnGraph(const OperationGraph& graph, const GraphTarget& target)
    : target_(target), graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
  for (const auto& tensor : graph.tensors) add_tensor(tensor);
  for (const auto& node : graph.nodes) add_node(graph, node);
  std::vector<cudnnBackendDescriptor_t> operations;
  for (const auto& operation : operations_) operations.push_back(operation.get());
  if (target.handle != nullptr) graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, target.handle);
  graph_.set_all(CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
  graph_.finalize("describing an operation graph");
}

// A tensor's unique id is its number.
void CudnnGraph::add_tensor(const GraphTensor& tensor) {
  const auto id = static_cast<std::int64_t>(tensors_.size());
  if (!tensor.is_virtual) stored_.push_back(id);
  BackendDescriptor d(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  d.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  d.set(CUDNN_ATTR_TENSOR_DATA_TYPE, cudnn_type(tensor.format));
  d.set_all(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.dims);
  d.set_all(CUDNN_ATTR_TENSOR_STRIDES, tensor.strides());
  d.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
  d.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, tensor.is_virtual);
  d.finalize("describing a tensor");
  tensors_.push_back(std::move(d));
}

void CudnnGraph::add_node(const OperationGraph& graph, const GraphNode& node) {
  switch (node.op) {
    case GraphOp::convolution:
    case GraphOp::input_gradient: return add_convolution(graph, node);
    case GraphOp::statistics: return add_statistics(node);
    default: return add_pointwise(node);
  }
}

void CudnnGraph::add_convolution(const OperationGraph& graph, const GraphNode& node) {
  const BackendDescriptor& parameters = parts_.emplace_back(convolution_parameters(graph.windows));
  const BackendDescriptor &first = tensor(node.inputs[0]), &weights = tensor(node.inputs[1]);
  const BackendDescriptor& result = tensor(node.outputs[0]);
  const float one = 1, none = 0;
  const bool forward = node.op == GraphOp::convolution;
  BackendDescriptor d(forward ? CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR
                              : CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
  if (forward) {
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, parameters);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, first);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, weights);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, result);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, one);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, none);
  } else {
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, parameters);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, first);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, weights);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, result);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, one);
    d.set(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, none);
  }
  d.finalize("describing a convolution");
  operations_.push_back(std::move(d));
}

void CudnnGraph::add_pointwise(const GraphNode& node) {
  const BackendDescriptor& parameters = parts_.emplace_back(pointwise_parameters(node.op));
  BackendDescriptor d(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  d.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, parameters);
  if (node.op == GraphOp::relu_gradient) {
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, tensor(node.inputs[0]));
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(node.inputs[1]));
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, tensor(node.outputs[0]));
  } else {
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(node.inputs[0]));
    if (node.inputs.size() > 1) d.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(node.inputs[1]));
    d.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(node.outputs[0]));
  }
  d.finalize("describing a pointwise operation");
  operations_.push_back(std::move(d));
}

void CudnnGraph::add_statistics(const GraphNode& node) {
  BackendDescriptor d(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
  d.set(CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_GENSTATS_SUM_SQSUM);
  d.set(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, kCompute);
  d.set(CUDNN_ATTR_OPERATION_GENSTATS_XDESC, tensor(node.inputs[0]));
  d.set(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, tensor(node.outputs[0]));
  d.set(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, tensor(node.outputs[1]));
  d.finalize("describing statistics");
  operations_.push_back(std::move(d));
}

BackendDescriptor CudnnGraph::variant_pack(const std::vector<void*>& pointers, void* workspace) const {
  std::vector<void*> stored;
  for (const std::int64_t id : stored_) stored.push_back(pointers.at(id));
  BackendDescriptor d(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  d.set_all(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, stored_);
  d.set_pointers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, stored);
  d.set_pointers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {workspace});
  d.finalize("binding an operation graph's tensors");
  return d;
}

}  // namespace mlsim::kernels::cuda
