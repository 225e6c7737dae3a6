// Which layers run as one kernel: with fusion, elementwise layers merge into the kernel before them.
#pragma once

#include <vector>

#include "workloads/model.hpp"

namespace mlsim {

/// Layers that run as one kernel in each pass. `layers.front()` leads: its kind gives the kernel, and only it may have
/// parameters.
struct KernelGroup {
  std::vector<int> layers;  // ascending
};

/// The groups by leading layer. Without fusion every layer is a group. With it, a ReLU joins the kernel that makes its
/// input, and an addition the elementwise kernel that makes the later of its inputs, where nothing else reads that
/// result and the other input is there by then. A batch normalisation stays a kernel: no element of its output is
/// known before the last element of its input, because the mean and variance run over the whole batch.
std::vector<KernelGroup> kernel_groups(const Model& model, bool fusion);

/// The index of the group of each layer.
std::vector<int> group_of_layer(const std::vector<KernelGroup>& groups);

}  // namespace mlsim
