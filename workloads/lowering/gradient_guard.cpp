#include "workloads/lowering/gradient_guard.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kElement = 4;  // bytes of fp32

}  // namespace

std::vector<GuardPass> guard_passes(const GradientGuard& guard) {
  std::vector<GuardPass> passes;
  if (guard.loss_scaling) passes.push_back({"unscaled gradients", {Bytes(2 * kElement), 1}});
  if (guard.loss_scaling || guard.clipping) passes.push_back({"gradient norm", {Bytes(kElement), 1}, true});
  if (guard.clipping) passes.push_back({"clipped gradients", {Bytes(2 * kElement), 1}});
  return passes;
}

}  // namespace mlsim::workloads
