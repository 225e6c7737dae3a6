#include "workloads/model/layer_work.hpp"

#include <cmath>

namespace mlsim::workloads {

KernelWork elementwise_work(TensorPasses elements, Precision precision) {
  KernelWork work;
  work.key = {
      KernelOp::elementwise,
      precision,
      {std::llround(elements.read), std::llround(elements.written), elements.launches == 1 ? 0 : elements.launches}};
  work.bytes = element_size(precision) * (elements.read + elements.written);
  work.launches = elements.launches;
  return work;
}

void merge(KernelWork& host, const KernelWork& merged) {
  const auto& moved = merged.key.dims;
  host.bytes += merged.bytes;
  switch (host.key.op) {
    case KernelOp::elementwise:
      host.key.dims[0] += moved[0];
      host.key.dims[1] += moved[1];
      break;
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: host.key.dims[10] += moved[0] + moved[1]; break;
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward:
    case KernelOp::layer_norm_forward:
    case KernelOp::layer_norm_backward: host.key.dims[2] += moved[0] + moved[1]; break;
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: host.key.dims[8] += moved[0] + moved[1]; break;
    default: host.key.dims[4] += moved[0] + moved[1]; break;
  }
}

KernelWork optimizer_work(std::int64_t parameters, int tensors, Bytes bytes_per_parameter, int launches) {
  KernelWork work;
  work.key = {KernelOp::optimizer,
              Precision::fp32,
              {parameters, tensors, std::llround(bytes_per_parameter.value), launches == 1 ? 0 : launches}};
  work.bytes = bytes_per_parameter * double(parameters);
  work.launches = launches;
  return work;
}

}  // namespace mlsim::workloads
