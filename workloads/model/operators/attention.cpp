#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

// Queries are the input, keys and values the others.
void attend(const LayerEntry& entry, Layer& layer) {
  const Shape queries = layer.input, keys = layer.others[0], values = layer.others[1];
  if (queries.channels != keys.channels) {
    throw entry.error(fmt::format("{} compares queries of {} channels with keys of {}", entry.name(), queries.channels,
                                  keys.channels));
  }
  if (keys.positions() != values.positions()) {
    throw entry.error(fmt::format("{} has {} keys for {} values", entry.name(), keys.positions(), values.positions()));
  }
  layer.output = {values.channels, queries.height, queries.width};
}

void attention_shape(const LayerEntry& entry, Layer& layer) {
  layer.heads = entry.count("heads");
  layer.causal = entry.flag("causal", false);
  attend(entry, layer);
  if (layer.input.channels % layer.heads != 0 || layer.output.channels % layer.heads != 0) {
    throw entry.error(fmt::format("{} heads do not divide the {} key and {} value channels of {}", layer.heads,
                                  layer.input.channels, layer.output.channels, entry.name()));
  }
}

// Scores and weighted values count as the full square, masked or not (Vaswani et al., arXiv:1706.03762, equation 1).
std::int64_t attention_macs(const Layer& layer) {
  return count_product({layer.input.positions(), layer.others[0].positions(),
                        std::int64_t{layer.input.channels} + layer.output.channels});
}

// The tensors are the vector v, its scale and the bias of the normalised score (Bahdanau et al., arXiv:1409.0473; GNMT,
// arXiv:1609.08144); the projections of queries and keys are dense layers.
std::vector<std::int64_t> additive_attention_tensors(const Layer& layer) {
  return {layer.input.channels, 1, layer.input.channels};
}

// The weighted values are a matrix product; the scores are elementwise.
std::int64_t additive_attention_macs(const Layer& layer) {
  return count_product({layer.input.positions(), layer.others[0].positions(), layer.output.channels});
}

// The vector meets all rows pair by pair (Naumov et al., DLRM, arXiv:1906.00091): the products below the diagonal.
void dot_interaction_shape(const LayerEntry& entry, Layer& layer) {
  const Shape rows = layer.others[0];
  if (layer.input.positions() != 1 || rows.channels != layer.input.channels) {
    throw entry.error(fmt::format("{} needs a vector and rows of the same width: {} and {}", entry.name(),
                                  shape_text(layer.input), shape_text(rows)));
  }
  const std::int64_t pairs = count_product({rows.positions() + 1, rows.positions()}) / 2;
  layer.output = {checked_extent(entry, layer.input.channels + pairs), 1, 1};
}

std::int64_t dot_interaction_macs(const Layer& layer) {
  const std::int64_t vectors = layer.others[0].positions() + 1;
  return count_product({vectors, vectors, layer.input.channels});  // the full square is computed
}

}  // namespace

Operators attention_operators() {
  return {{LayerKind::attention,
           "attention",
           OperatorClass::matrix_product,
           {"heads", "causal"},
           {"keys", "values"},
           attention_shape,
           nullptr,
           attention_macs,
           attention_work,
           attention_kept},
          {LayerKind::additive_attention,
           "additive_attention",
           OperatorClass::matrix_product,
           {},
           {"keys", "values"},
           attend,
           additive_attention_tensors,
           additive_attention_macs,
           attention_work,
           attention_kept},
          {LayerKind::dot_interaction,
           "dot_interaction",
           OperatorClass::matrix_product,
           {},
           {"embeddings"},
           dot_interaction_shape,
           nullptr,
           dot_interaction_macs,
           attention_work,
           attention_kept}};
}

}  // namespace mlsim::workloads
