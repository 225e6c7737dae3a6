// A KernelGroup is the layers that run as one kernel: with fusion, pointwise layers merge into the kernel before them.
#pragma once

#include <vector>

#include "core/kernel/precision.hpp"
#include "workloads/lowering/recompute_modules.hpp"
#include "workloads/model/layer_work.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// A group's layers run as one kernel in each pass. `layers.front()` leads: its kind gives the kernel.
struct KernelGroup {
  std::vector<int> layers;  // ascending
};

/// Returns the groups by leading layer, in time linear in the layers. Without fusion every layer is a group. With it,
/// where nothing else reads the result that a layer takes up and its further inputs are there by then,
///   - a pointwise layer of one input joins the matrix product, normalisation, pool or pointwise kernel that makes its
///     input (not a look-up and not an lstm, whose kernels end in library calls of their own);
///   - a pointwise layer of two inputs joins the elementwise kernel that makes the later of them: the key of a matrix
///     product has no room for a second operand;
///   - a layer normalisation, which needs one row, joins a kernel of pointwise layers and layer normalisations;
///   - flatten and reshape join what makes their input and are nothing there.
/// Nothing joins a layer whose output is exchanged between ranks first, or an eager one.
/// A batch normalisation stays a kernel: no element of its output is known before the last element of its input,
/// because the mean and variance run over the whole batch.
std::vector<KernelGroup> kernel_groups(const Model& model, bool fusion);

/// Returns the index of the group of each layer.
std::vector<int> group_of_layer(const std::vector<KernelGroup>& groups);

/// Returns the kernels of a group's forward pass over `batch` samples, in order; none where it is free.
Kernels forward_work(const Model& model, const KernelGroup& group, bool fusion, double batch, Precision precision);

/// BackwardWork is what a group's backward pass does for its inputs and for its leader's parameters. Where `matrix` is
/// false all of it is in input_gradient.
struct BackwardWork {
  Kernels input_gradient, weight_gradient;
  bool matrix = false;  // led by a matrix product or a look-up
};
/// `inputs_need_it` says that some input of the leader takes part in the backward pass.
BackwardWork backward_work(const Model& model, const KernelGroup& group, bool fusion, double batch, Precision precision,
                           bool inputs_need_it);

/// Says whether the layer has parameters, its own or shared ones, that are trained.
bool has_weight_gradient(const Layer& layer);

/// Returns those of the group's layers that selective recompute runs again.
KernelGroup part_again(const KernelGroup& group, const std::vector<LayerAgain>& again);

/// in_backward[i]: layer i takes part in the backward pass, as it or a layer before it has trained parameters. No
/// gradient passes through the host. `inputs_trained`: the model's inputs want gradients too (a later pipeline stage).
std::vector<bool> layers_in_backward(const Model& model, bool inputs_trained = false);

}  // namespace mlsim::workloads
