#include "workloads/kernel_group.hpp"

#include <algorithm>

#include "workloads/layer_work.hpp"

namespace mlsim {
namespace {

std::vector<int> readers_of_layers(const Model& model) {
  std::vector<int> readers(model.layers.size());
  for (const auto& layer : model.layers) {
    for (const int input : layer.inputs) {
      if (input >= 0) ++readers[static_cast<std::size_t>(input)];
    }
  }
  return readers;
}

}  // namespace

std::vector<KernelGroup> kernel_groups(const Model& model, bool fusion) {
  const auto readers = readers_of_layers(model);
  std::vector<KernelGroup> groups;
  std::vector<int> group(model.layers.size());

  // The group that layer `self` may join, or -1.
  const auto host = [&](const Layer& layer) {
    const bool mergeable = layer.kind == LayerKind::relu || layer.kind == LayerKind::add;
    const int latest = *std::max_element(layer.inputs.begin(), layer.inputs.end());
    if (!fusion || !mergeable || latest < 0 || readers[static_cast<std::size_t>(latest)] != 1) return -1;
    const int candidate = group[static_cast<std::size_t>(latest)];
    const int leader = groups[static_cast<std::size_t>(candidate)].layers.front();
    // The key of a matrix product has no room for the shortcut's bytes.
    if (layer.kind == LayerKind::add && is_matrix_product(model.layers[static_cast<std::size_t>(leader)].kind))
      return -1;
    const bool others_are_there = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      return input == latest || input < 0 || group[static_cast<std::size_t>(input)] < candidate;
    });
    return others_are_there ? candidate : -1;
  };

  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    int index = host(model.layers[i]);
    if (index < 0) {
      index = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(index)].layers.push_back(static_cast<int>(i));
    group[i] = index;
  }
  return groups;
}

std::vector<int> group_of_layer(const std::vector<KernelGroup>& groups) {
  std::size_t layers = 0;
  for (const auto& group : groups) layers += group.layers.size();
  std::vector<int> index(layers);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int layer : groups[g].layers) index[static_cast<std::size_t>(layer)] = static_cast<int>(g);
  }
  return index;
}

}  // namespace mlsim
