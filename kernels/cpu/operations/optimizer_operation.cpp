#include "core/text/errors.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "kernels/cpu/kernel_operations.hpp"

namespace mlsim::kernels {
namespace {

// Kernels of each tensor have two reads to a write, as most of them do.
CpuOperation loop_over_tensors(const KernelKey& key, int threads) {
  const auto& shape = shape_of<OptimizerShape>(key);
  const std::int64_t elements = shape.parameters * shape.bytes_per_parameter / 4;
  CpuOperation moves = elementwise_operation(
      {KernelOp::elementwise, Precision::fp32, ElementwiseShape{elements - elements / 3, elements / 3, shape.launches}},
      threads);
  moves.bytes = costs::kernel_work(key).bytes;
  return moves;
}

// Norms alone show in the update that follows.
UpdateRule shown_rule(UpdateRule rule) {
  if (rule == UpdateRule::lars_norms) return UpdateRule::lars;
  return rule == UpdateRule::lamb_norms ? UpdateRule::lamb : rule;
}

}  // namespace

CpuOperation optimizer_operation(const KernelKey& key, int threads) {
  const auto& shape = shape_of<OptimizerShape>(key);
  if (shape.rule == UpdateRule::other) return loop_over_tensors(key, threads);
  const auto tensors = std::make_shared<Tensors>(shape.parameters, shape.tensors, 1);
  const UpdateRule rule = shape.rule;
  return {[=] { update_fused(rule, *tensors, threads); },
          [=] {
            const UpdateRule shown = shown_rule(rule);
            return update_error(shown, *tensors, [&] { update_fused(shown, *tensors, threads); });
          },
          costs::kernel_work(key).bytes, Flop(0)};
}

}  // namespace mlsim::kernels
