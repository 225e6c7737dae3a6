// A GradientGuard is what a step does to its gradients between their exchange and the update: loss scaling, clipping.
#pragma once

#include <string>
#include <vector>

#include "workloads/lowering/optimizer.hpp"

namespace mlsim::workloads {

struct GradientGuard {
  bool loss_scaling = false;  // the loss is a multiple, so that small gradients are not 0 in 16 bits
  bool clipping = false;      // gradients shrink where their norm is above a bound
  bool operator==(const GradientGuard&) const = default;
};

struct GuardPass {
  std::string name;
  UpdatePass pass;
  bool adds_up = false;  // over all tensors, and over the ranks that hold parts of them
};

/// Lists the passes over all gradients, in order, in fp32 (MLBench's FP16Optimizer and torch.nn.utils.clip_grad_norm_):
/// scaled gradients are divided (8 bytes: read, write), their norm is taken, which is also where an overflow shows (4
/// bytes), and they are multiplied where it is too large (8 bytes). One kernel each for all tensors, or for each of
/// them. That the loss is multiplied is one number.
std::vector<GuardPass> guard_passes(const GradientGuard& guard);

}  // namespace mlsim::workloads
