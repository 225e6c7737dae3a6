#include "sim/kernel_cost/fused_passes.hpp"

#include <algorithm>

#include "costs/kernel_work.hpp"

namespace mlsim::sim {

Bytes fused_bytes(const KernelWork& work) {
  const bool forward = work.key.op == KernelOp::batch_norm_forward;
  if (!forward && work.key.op != KernelOp::batch_norm_backward) return work.bytes;
  const auto& shape = shape_of<RowsShape>(work.key);
  const costs::TensorPasses passes = costs::tensor_passes(work.key.op);
  const double left = !forward ? 3 : shape.merged > 0 ? 2 : 0;
  const double spared = passes.read + passes.written - left;
  const Bytes tensor = element_size(work.key.precision) * (double(shape.rows) * double(shape.channels));
  return max(work.bytes - tensor * spared, Bytes(0));
}

}  // namespace mlsim::sim
