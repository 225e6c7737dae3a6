#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void dense_shape(const LayerEntry& entry, Layer& layer) {
  layer.output.channels = entry.count("outputs");
  layer.bias = entry.flag("bias", true);
}

void plain_dense_shape(const LayerEntry& entry, Layer& layer) {
  dense_shape(entry, layer);
  layer.in_fp32 = entry.flag("fp32", false);
}

std::vector<std::int64_t> dense_tensors(const Layer& layer) {
  const std::int64_t out = layer.output.channels;
  std::vector<std::int64_t> tensors{count_product({layer.experts, layer.input.channels, out})};
  if (layer.bias) tensors.push_back(count_product({layer.experts, out}));
  return tensors;
}

std::int64_t dense_macs(const Layer& layer) {
  return count_product(
      {layer.chosen, layer.input.channels, layer.output.channels, layer.input.height, layer.input.width});
}

void expert_dense_shape(const LayerEntry& entry, Layer& layer) {
  dense_shape(entry, layer);
  layer.experts = entry.count("experts");
  layer.chosen = entry.count("chosen");
  if (layer.chosen > layer.experts) {
    throw entry.error(
        fmt::format("{} chooses {} experts for each position but has {}", entry.name(), layer.chosen, layer.experts));
  }
}

}  // namespace

Operators dense_operators() {
  return {{LayerKind::dense,
           "dense",
           OperatorClass::matrix_product,
           {"outputs", "bias", "fp32"},
           {},
           plain_dense_shape,
           dense_tensors,
           dense_macs,
           dense_work,
           matrix_kept},
          {LayerKind::expert_dense,
           "expert_dense",
           OperatorClass::matrix_product,
           {"outputs", "experts", "chosen", "bias"},
           {},
           expert_dense_shape,
           dense_tensors,
           dense_macs,
           dense_work,
           matrix_kept}};
}

}  // namespace mlsim::workloads
