#include "workloads/lowering/block.hpp"

#include <string_view>

#include "workloads/lowering/kernel_group.hpp"

namespace mlsim::workloads {

std::vector<int> kernel_starts(const Model& model, bool fusion) {
  std::vector<int> open(model.layers.size() + 1);  // by layer: how many more groups begin than end before it
  for (const auto& group : kernel_groups(model, fusion)) {
    ++open[group.layers.front() + 1];
    --open[group.layers.back() + 1];
  }
  std::vector<int> starts;
  int spanning = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    spanning += open[i];
    if (spanning == 0) starts.push_back(static_cast<int>(i));
  }
  return starts;
}

std::vector<int> block_starts(const Model& model, bool fusion) {
  const auto repetition = repetition_of_layer(model);
  const auto same_block = [&](std::size_t a, std::size_t b) {
    if (repetition[a] >= 0 || repetition[b] >= 0) return repetition[a] == repetition[b];
    const std::string_view left = model.layers[a].name, right = model.layers[b].name;
    const auto dot = left.find('.');
    return dot != std::string_view::npos && right.substr(0, dot + 1) == left.substr(0, dot + 1);
  };
  std::vector<int> blocks;
  for (const int start : kernel_starts(model, fusion)) {
    if (start == 0 || !same_block(start - 1, start)) blocks.push_back(start);
  }
  return blocks;
}

}  // namespace mlsim::workloads
