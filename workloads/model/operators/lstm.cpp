#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void lstm_shape(const LayerEntry& entry, Layer& layer) {
  const int hidden = entry.count("hidden");
  layer.directions = entry.count("directions", 1);
  layer.biases = entry.count("biases", 1, 0);
  if (layer.directions > 2) throw entry.error(fmt::format("{} directions: an lstm has 1 or 2", layer.directions));
  if (layer.biases > 2) throw entry.error(fmt::format("{} biases: an lstm has 0, 1 or 2", layer.biases));
  if (layer.input.width != 1) {
    throw entry.error(
        fmt::format("{} reads a sequence (features x tokens x 1), not {}", entry.name(), shape_text(layer.input)));
  }
  layer.output.channels = checked_extent(entry, std::int64_t{hidden} * layer.directions);
}

// Each direction has four gates (Hochreiter and Schmidhuber 1997; tensors as cuDNN and PyTorch hold them).
std::vector<std::int64_t> lstm_tensors(const Layer& layer) {
  const std::int64_t hidden = layer.output.channels / layer.directions;
  std::vector<std::int64_t> tensors;
  for (int direction = 0; direction < layer.directions; ++direction) {
    tensors.push_back(count_product({4, hidden, layer.input.channels}));
    tensors.push_back(count_product({4, hidden, hidden}));
    for (int bias = 0; bias < layer.biases; ++bias) tensors.push_back(4 * hidden);
  }
  return tensors;
}

std::int64_t lstm_macs(const Layer& layer) {
  const std::int64_t hidden = layer.output.channels / layer.directions;
  return count_product({layer.directions, layer.input.positions(), 4, hidden, layer.input.channels + hidden});
}

}  // namespace

Operators lstm_operators() {
  return {{LayerKind::lstm,
           "lstm",
           OperatorClass::matrix_product,
           {"hidden", "directions", "biases"},
           {},
           lstm_shape,
           lstm_tensors,
           lstm_macs,
           lstm_work,
           matrix_kept}};
}

}  // namespace mlsim::workloads
