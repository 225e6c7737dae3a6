#include "kernels/cuda/cudnn/cudnn_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "core/text/units_text.hpp"

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

BackendDescriptor unfinished_heuristics(const CudnnGraph& graph, cudnnBackendHeurMode_t mode) {
  BackendDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.descriptor());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
#if CUDNN_VERSION >= 90800
  if (graph.target().properties != nullptr) {
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, graph.target().properties);
  }
#endif
  return heuristics;
}

std::vector<BackendDescriptor> configurations(const BackendDescriptor& heuristics) {
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                                 &count, nullptr),
        "asking for the kernels of an operation graph");
  std::vector<BackendDescriptor> all;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (std::int64_t i = 0; i < count; ++i) {
    handles.push_back(all.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  }
  // The library fills in as many as it can run, which may be fewer than it counted.
  std::int64_t filled = 0;
  check(cudnnBackendGetAttribute(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                 &filled, handles.data()),
        "asking for the kernels of an operation graph");
  while (static_cast<std::int64_t>(all.size()) > filled) all.pop_back();
  return all;
}

// Tensor cores round fp32 factors to TF32 (cuDNN, CUDNN_NUMERICAL_NOTE_TENSOR_CORE).
bool rounds_factors(const BackendDescriptor& configuration) {
  BackendDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t handle = engine.get();
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &handle),
        "reading a kernel's description");
  for (const auto note :
       engine.get_all<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT)) {
    if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE || note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) return true;
  }
  return false;
}

BackendDescriptor unfinished_plan(const CudnnGraph& graph, const BackendDescriptor& configuration) {
  BackendDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (graph.target().handle != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, graph.target().handle);
#if CUDNN_VERSION >= 90800
  if (graph.target().properties != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, graph.target().properties);
#endif
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  return plan;
}

// Adds the plan or says why it cannot run.
void add_plan(CudnnPlans& plans, const CudnnGraph& graph, BackendDescriptor configuration, std::size_t workspace) {
  BackendDescriptor plan = unfinished_plan(graph, configuration);
  if (const cudnnStatus_t status = cudnnBackendFinalize(plan.get()); status != CUDNN_STATUS_SUCCESS) {
    plans.refusal = reason(status);
    return;
  }
  const auto bytes = plan.get_all<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 1).at(0);
  if (static_cast<std::size_t>(bytes) > workspace) {
    plans.refusal = fmt::format("it needs a workspace of {}", to_text(Bytes(double(bytes))));
    return;
  }
  plans.ready.push_back({std::move(configuration), std::move(plan)});
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

PlanOffers plan_offers(const CudnnGraph& graph, Precision precision) {
  PlanOffers offers;
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    const BackendDescriptor heuristics = unfinished_heuristics(graph, mode);
    if (const cudnnStatus_t status = cudnnBackendFinalize(heuristics.get()); status != CUDNN_STATUS_SUCCESS) {
      offers.refusal = reason(status);
      continue;
    }
    for (auto& configuration : configurations(heuristics)) {
      if (precision == Precision::fp32 && rounds_factors(configuration)) {
        offers.refusal = "tensor cores round fp32 to TF32";
      } else {
        offers.configurations.push_back(std::move(configuration));
      }
    }
  }
  return offers;
}

CudnnPlans find_plans(const CudnnGraph& graph, PlanOffers offers, std::size_t workspace, std::size_t most) {
  CudnnPlans plans{{}, std::move(offers.refusal)};
  for (auto& configuration : offers.configurations) {
    if (plans.ready.size() == most) break;
    add_plan(plans, graph, std::move(configuration), workspace);
  }
  return plans;
}

}  // namespace mlsim::kernels::cuda
