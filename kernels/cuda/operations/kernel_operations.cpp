#include "kernels/cuda/operations/kernel_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

OperationName stream(Precision precision, std::int64_t reads, std::int64_t writes, std::int64_t launches) {
  return {"stream", true, precision, {reads, writes, std::max<std::int64_t>(1, launches)}};
}

std::vector<OperationName> beside(Precision precision, std::int64_t elements) {
  if (elements == 0) return {};
  return {stream(precision, elements - elements / 2, elements / 2, 1)};
}

// One launch by the bytes a parameter of workloads/lowering/optimizer.hpp; whatever moves another count, or is launched
// tensor by tensor, as passes of two reads and a write, the mean of the kernels that a for-loop optimizer runs.
OperationName optimizer(const KernelKey& key) {
  const std::int64_t parameters = key.dims[0], tensors = key.dims[1], bytes = key.dims[2];
  const std::int64_t launches = std::max<std::int64_t>(1, key.dims[3]);
  if (launches == 1) {
    const auto kind = [&]() -> std::string {
      switch (bytes) {
        case 8: return "update_norms";
        case 12: return "sgd";
        case 20: return "momentum";
        case 28: return "adam";
        case 32: return "lamb_step";
        default: return {};
      }
    }();
    if (!kind.empty()) return {kind, true, Precision::fp32, {parameters, std::max<std::int64_t>(1, tensors)}};
  }
  const std::int64_t elements = parameters * bytes / 4;
  return stream(Precision::fp32, elements - elements / 3, elements / 3, launches);
}

// What is beyond the residual that the kernel itself reads, and the sum that it then writes.
std::vector<OperationName> layer_norm_forward(const KernelKey& key) {
  const std::int64_t tensor = key.dims[0] * key.dims[1], extra = key.dims[2];
  std::vector<OperationName> all{
      {"layer_norm_forward", true, key.precision, {key.dims[0], key.dims[1], extra >= tensor ? tensor : 0}}};
  for (auto& each : beside(key.precision, extra >= tensor ? std::max<std::int64_t>(0, extra - 2 * tensor) : extra)) {
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

std::vector<OperationName> operations_of(const KernelKey& key) {
  const auto& d = key.dims;
  const auto plain = [&](const char* kind, std::vector<std::int64_t> sizes) {
    return std::vector<OperationName>{{kind, true, key.precision, std::move(sizes)}};
  };
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return beside(key.precision, d[10]);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return beside(key.precision, d[4]);
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: return beside(key.precision, d[8]);
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward: return beside(key.precision, d[2]);
    case KernelOp::layer_norm_forward: return layer_norm_forward(key);
    case KernelOp::layer_norm_backward: {
      auto all = plain("layer_norm_backward", {d[0], d[1]});
      for (auto& each : beside(key.precision, d[2])) all.push_back(std::move(each));
      return all;
    }
    case KernelOp::softmax_loss_forward: return plain("softmax_loss_forward", {d[0], d[1]});
    case KernelOp::softmax_loss_backward: return plain("softmax_loss_backward", {d[0], d[1]});
    case KernelOp::sigmoid_loss_forward: return plain("sigmoid_loss_forward", {d[0]});
    case KernelOp::sigmoid_loss_backward: return plain("sigmoid_loss_backward", {d[0]});
    case KernelOp::gather: return plain("gather", {d[0], d[1], d[2]});
    case KernelOp::scatter_add: return plain("scatter_add", {d[0], d[1], d[2]});
    case KernelOp::elementwise: return {stream(key.precision, d[0], d[1], d[2])};
    case KernelOp::optimizer: return {optimizer(key)};
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward:
    case KernelOp::roi_align_forward:
    case KernelOp::roi_align_backward: break;
  }
  throw Unavailable(fmt::format("mlsim-cuda has no kernel for {}", name(key.op)));
}

}  // namespace mlsim::kernels::cuda
