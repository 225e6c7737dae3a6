#include "kernels/cuda/operations/kernel_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

OperationName stream(Precision precision, const ElementwiseShape& shape) {
  return {"stream", true, precision, {shape.read, shape.written, shape.launches}};
}

// Merged layers move these elements beside a kernel.
std::vector<OperationName> beside(Precision precision, std::int64_t elements) {
  if (elements == 0) return {};
  return {stream(precision, {elements - elements / 2, elements / 2})};
}

std::string kind_of(UpdateRule rule) {
  if (rule == UpdateRule::lars_norms) return "update_norms";
  return rule == UpdateRule::lamb_norms ? "lamb_step" : std::string(name(rule));
}

// Kernels of a loop over tensors are passes of two reads and a write, the mean of those that such an optimizer runs.
OperationName optimizer(const OptimizerShape& shape) {
  if (shape.rule != UpdateRule::other) {
    return {kind_of(shape.rule), true, Precision::fp32, {shape.parameters, std::max<std::int64_t>(1, shape.tensors)}};
  }
  const std::int64_t elements = shape.parameters * shape.bytes_per_parameter / 4;
  return stream(Precision::fp32, {elements - elements / 3, elements / 3, shape.launches});
}

// The kernel itself reads a residual, and writes the sum; beside it goes what is merged beyond these.
std::vector<OperationName> layer_norm(const KernelKey& key) {
  const auto& shape = shape_of<RowsShape>(key);
  const std::int64_t tensor = shape.rows * shape.channels;
  const bool backward = key.op == KernelOp::layer_norm_backward, adds = !backward && shape.merged >= tensor;
  OperationName norm{std::string(name(key.op)), true, key.precision, {shape.rows, shape.channels}};
  if (!backward) norm.sizes.push_back(adds ? tensor : 0);
  std::vector<OperationName> all{std::move(norm)};
  for (auto& each : beside(key.precision, adds ? std::max<std::int64_t>(0, shape.merged - 2 * tensor) : shape.merged)) {
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

std::vector<OperationName> operations_of(const KernelKey& key) {
  const auto of_its_name = [&](std::vector<std::int64_t> sizes) {
    return std::vector<OperationName>{{std::string(name(key.op)), true, key.precision, std::move(sizes)}};
  };
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient:
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul:
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward:
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward: return beside(key.precision, merged_elements(key.shape));
    case KernelOp::layer_norm_forward:
    case KernelOp::layer_norm_backward: return layer_norm(key);
    case KernelOp::softmax_loss_forward:
    case KernelOp::softmax_loss_backward: {
      const auto& shape = shape_of<LossShape>(key);
      return of_its_name({shape.rows, shape.classes});
    }
    case KernelOp::sigmoid_loss_forward:
    case KernelOp::sigmoid_loss_backward: {
      const auto& shape = shape_of<LossShape>(key);
      return of_its_name({shape.rows * shape.classes});
    }
    case KernelOp::gather:
    case KernelOp::scatter_add: {
      const auto& shape = shape_of<LookUpShape>(key);
      return of_its_name({shape.rows, shape.width, shape.table_rows});
    }
    case KernelOp::elementwise: return {stream(key.precision, shape_of<ElementwiseShape>(key))};
    case KernelOp::optimizer: return {optimizer(shape_of<OptimizerShape>(key))};
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward:
    case KernelOp::roi_align_forward:
    case KernelOp::roi_align_backward:
    case KernelOp::flash_attention_forward:
    case KernelOp::flash_attention_backward: break;
  }
  throw Unavailable(fmt::format("mlsim-cuda has no kernel for {}", name(key.op)));
}

}  // namespace mlsim::kernels::cuda
