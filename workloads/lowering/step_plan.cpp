#include "workloads/lowering/step_plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kElement = 4;  // bytes of fp32

constexpr double kLargestBatch = 1e8;  // per accelerator; keeps element counts exact in 64 bits

void check_size(const char* what, Bytes size) {
  if (!(size.value >= 0) || std::isinf(size.value)) {
    throw InputError(fmt::format("{} must be a size of at least 0 B, not {}", what, size.value));
  }
}

}  // namespace

std::vector<GuardPass> guard_passes(const GradientGuard& guard) {
  std::vector<GuardPass> passes;
  if (guard.loss_scaling) passes.push_back({"unscaled gradients", {Bytes(2 * kElement), 1}});
  if (guard.loss_scaling || guard.clipping) passes.push_back({"gradient norm", {Bytes(kElement), 1}, true});
  if (guard.clipping) passes.push_back({"clipped gradients", {Bytes(2 * kElement), 1}});
  return passes;
}

double input_samples(const StepPlan& plan) {
  return plan.batch_per_accelerator /
         plan.parallelism.size_of(Axis::spatial | Axis::columns | Axis::context | Axis::tensor);
}

void check_plan(const StepPlan& plan) {
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (plan.parallelism.sizes[i] >= 1) continue;
    throw InputError(
        fmt::format("{} parallelism must be at least 1, not {}", names<Axis>()[i], plan.parallelism.sizes[i]));
  }
  if (!(plan.batch_per_accelerator > 0) || plan.batch_per_accelerator > kLargestBatch) {
    throw InputError(fmt::format("a batch of {} samples per accelerator is not possible; from above 0 to {}",
                                 plan.batch_per_accelerator, kLargestBatch));
  }
  if (plan.micro_batches < 1) {
    throw InputError(fmt::format("a step has at least 1 micro-batch, not {}", plan.micro_batches));
  }
  check_size("the gradient bucket", plan.bucket);
  check_size("the first gradient bucket", plan.first_bucket);
  check_size("a gradient on the wire", plan.gradient_element);
}

}  // namespace mlsim::workloads
