#include "workloads/lowering/kernel_group.hpp"

#include <algorithm>

#include "costs/kernel_work.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

std::vector<int> readers_of_layers(const Model& model) {
  std::vector<int> readers(model.layers.size());
  for (const auto& layer : model.layers) {
    for (const int input : layer.inputs) {
      if (input >= 0) ++readers[input];
    }
  }
  return readers;
}

bool is_product(OperatorClass operator_class) { return operator_class == OperatorClass::matrix_product; }

// Says whether a layer that is alone in reading the result of a kernel led by `leader` may be part of it.
bool may_join(const Layer& layer, const Layer& leader) {
  const OperatorClass host = operator_of(leader.kind).operator_class;
  if (leader.kind == LayerKind::lstm) return false;
  switch (operator_of(layer.kind).operator_class) {
    case OperatorClass::pointwise:
      if (is_product(host)) return layer.inputs.size() == 1;
      return host == OperatorClass::normalization || host == OperatorClass::pointwise || host == OperatorClass::pooling;
    case OperatorClass::normalization:
      return layer.kind == LayerKind::layer_normalization &&
             (host == OperatorClass::pointwise || leader.kind == LayerKind::layer_normalization);
    case OperatorClass::view:
      return (layer.kind == LayerKind::flatten || layer.kind == LayerKind::reshape) &&
             (is_product(host) || host == OperatorClass::normalization || host == OperatorClass::pointwise ||
              host == OperatorClass::pooling);
    default: return false;
  }
}

FusionRole placement_of(const Model& model, const KernelGroup& group, int member, bool fusion) {
  if (!fusion || model.layers[member].eager) return FusionRole::separate;
  return member == group.layers.front() ? FusionRole::leads : FusionRole::merged;
}

}  // namespace

bool has_weight_gradient(const Layer& layer) {
  return layer.trainable && (layer.shares >= 0 || layer.parameters() > 0);
}

KernelGroup part_again(const KernelGroup& group, const std::vector<LayerAgain>& again) {
  KernelGroup part;
  std::copy_if(group.layers.begin(), group.layers.end(), std::back_inserter(part.layers),
               [&](int layer) { return again[layer].runs; });
  return part;
}

std::vector<bool> layers_in_backward(const Model& model, bool inputs_trained) {
  std::vector<bool> all;
  for (const auto& layer : model.layers) {
    const bool host = operator_of(layer.kind).operator_class == OperatorClass::host;
    const bool before = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                    [&](int input) { return input >= 0 ? all[input] : inputs_trained; });
    all.push_back(!host && (before || has_weight_gradient(layer)));
  }
  return all;
}

std::vector<KernelGroup> kernel_groups(const Model& model, bool fusion) {
  const auto readers = readers_of_layers(model);
  std::vector<KernelGroup> groups;
  std::vector<int> group(model.layers.size());

  // Returns the group that a layer may join, or -1.
  const auto host = [&](const Layer& layer) {
    const int latest = *std::max_element(layer.inputs.begin(), layer.inputs.end());
    if (!fusion || latest < 0 || readers[latest] != 1) return -1;
    if (model.layers[latest].exchanged || model.layers[latest].eager || layer.eager) return -1;
    const int candidate = group[latest];
    const int leader = groups[candidate].layers.front();
    if (!may_join(layer, model.layers[leader])) return -1;
    const bool others_are_there = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      return input == latest || input < 0 || group[input] < candidate;
    });
    return others_are_there ? candidate : -1;
  };

  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    int index = host(model.layers[i]);
    if (index < 0) {
      index = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[index].layers.push_back(static_cast<int>(i));
    group[i] = index;
  }
  return groups;
}

std::vector<int> group_of_layer(const std::vector<KernelGroup>& groups) {
  std::size_t layers = 0;
  for (const auto& group : groups) layers += group.layers.size();
  std::vector<int> index(layers);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int layer : groups[g].layers) index[layer] = static_cast<int>(g);
  }
  return index;
}

namespace {

// A recipe is of the products of layers: those outside of blocks, of which the output layer is the largest, and all
// that is no product keep the plain format. Routers say in their file that they run in fp32.
Precision format_of(const Model& model, const Layer& layer, Precision precision) {
  if (layer.in_fp32) return Precision::fp32;
  if (!is_recipe(precision)) return precision;
  const OperatorClass operators = operator_of(layer.kind).operator_class;
  const bool outside = is_language_model(model.sort) && !is_repeated(layer.name);
  const bool attends = layer.kind == LayerKind::attention || layer.kind == LayerKind::additive_attention;
  return is_product(operators) && !attends && !outside ? precision : plain_format(precision);
}

}  // namespace

Kernels forward_work(const Model& model, const KernelGroup& group, bool fusion, double batch, Precision precision) {
  Kernels kernels;
  for (const int member : group.layers) {
    const Layer& layer = model.layers[member];
    const auto placement = placement_of(model, group, member, fusion);
    const Precision format = format_of(model, layer, precision);
    for (auto& work : operator_of(layer.kind).work(layer, Pass::forward, batch, format, placement)) {
      if (placement == FusionRole::merged) {
        costs::merge(kernels.back(), work);
      } else {
        kernels.push_back(std::move(work));
      }
    }
  }
  return kernels;
}

BackwardWork backward_work(const Model& model, const KernelGroup& group, bool fusion, double batch, Precision precision,
                           bool inputs_need_it) {
  const auto work = [&](int member, Pass pass) {
    const Layer& layer = model.layers[member];
    return operator_of(layer.kind)
        .work(layer, pass, batch, format_of(model, layer, precision), placement_of(model, group, member, fusion));
  };
  const int front = group.layers.front();
  const Layer& leader = model.layers[front];
  const OperatorClass leads = operator_of(leader.kind).operator_class;
  BackwardWork backward;
  backward.matrix = is_product(leads) || leads == OperatorClass::look_up;
  if (has_weight_gradient(leader)) backward.weight_gradient = work(front, Pass::weight_gradient);
  // An lstm's weight gradients need those of its gates; other kinds without a pass of their own make theirs on the way.
  const bool on_the_way =
      has_weight_gradient(leader) && (backward.weight_gradient.empty() || leader.kind == LayerKind::lstm);
  if (!backward.matrix || inputs_need_it || on_the_way) backward.input_gradient = work(front, Pass::input_gradient);
  Kernels& first = backward.input_gradient.empty() ? backward.weight_gradient : backward.input_gradient;
  for (const int member : group.layers) {
    if (member == front) continue;
    for (const auto& merged : work(member, Pass::input_gradient)) {
      if (!first.empty()) costs::merge(first.front(), merged);
    }
  }
  return backward;
}

}  // namespace mlsim::workloads
