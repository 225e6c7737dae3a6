#include "workloads/model/layer_work/parts.hpp"
#include "workloads/model/layer_work/primitive_operators.hpp"

namespace mlsim::workloads {
namespace {

// Operands are the queries x channels, keys and values of one sample.
struct Operands {
  double queries, keys;     // how many
  double channels, values;  // channels of queries, of all heads, and of the result
  double heads, kv_heads;
  double group() const { return heads / kv_heads; }  // heads of queries that read the same keys
  double scores() const { return heads * queries * keys; }
};

Operands operands(const Layer& layer) {
  if (layer.kind == LayerKind::self_attention) {
    const double positions = double(layer.input.positions()), heads = layer.heads;
    return {positions, positions * layer.contexts, heads * layer.head_size, heads * layer.value_size,
            heads,     double(layer.kv_heads)};
  }
  return {double(layer.input.positions()),
          double(layer.others.at(0).positions()),
          double(layer.input.channels),
          double(layer.others.at(1).channels),
          double(layer.heads),
          double(layer.heads)};
}

KernelWork elementwise(TensorPasses passes, double elements, Precision precision) {
  return costs::elementwise_work({passes.read * elements, passes.written * elements, passes.launches}, precision);
}

// The step from scores to weights scales, masks, takes the softmax and, where there are heads, drops out.
KernelWork softmax(double scores, bool backward, FusionRole placement, Precision precision) {
  if (placement == FusionRole::separate) {
    return elementwise(backward ? kScoreOperators.backward : kScoreOperators.forward, scores, precision);
  }
  const double mask = 1 / element_size(precision).value;
  // Forward reads scores and writes softmax, mask and the weights after dropout. Backward reads all but the weights.
  return elementwise(backward ? TensorPasses{2 + mask, 1} : TensorPasses{1, 2 + mask}, scores, precision);
}

// Without fusion queries, keys, values and the result are copied from positions x heads to heads x positions.
void add_transposes(const Operands& o, double batch, FusionRole placement, Precision precision, Kernels& kernels) {
  if (placement != FusionRole::separate) return;
  const double elements = (o.queries + o.keys / o.group()) * (o.channels + o.values);
  kernels.push_back(elementwise({1, 1, 4}, batch * elements, precision));
}

// FlashAttention is one kernel each way, on tensors as the layers beside make them; scores and a dropout's mask are
// made again. Eight-bit steps have it in bf16 (NVIDIA/TransformerEngine, common/recipe: fp8_dpa is off by default).
Kernels flash(const Layer& layer, Pass pass, double batch, Precision precision) {
  if (pass == Pass::weight_gradient) return {};
  const Operands o = operands(layer);
  const double heads = batch * o.heads;
  const AttentionShape shape{whole(heads),
                             whole(o.queries),
                             whole(o.keys),
                             whole(o.channels / o.heads),
                             whole(o.values / o.heads),
                             layer.causal ? 1 : 0,
                             whole(heads / o.group()),
                             layer.window};
  const auto op = pass == Pass::forward ? KernelOp::flash_attention_forward : KernelOp::flash_attention_backward;
  const Precision format = plain_format(precision);
  return {costs::kernel_work({op, format, shape}, {.count = heads})};
}

Kernels scaled(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  const Operands o = operands(layer);
  const double products = batch * o.kv_heads, key = o.channels / o.heads, value = o.values / o.heads;
  const double queries = o.queries * o.group();  // heads that share their keys lie below one another
  const auto product = [&](double m, double n, double k) { return matmul_kernel(m, n, k, products, precision); };
  Kernels kernels;
  if (pass == Pass::forward) {
    add_transposes(o, batch, placement, precision, kernels);
    kernels.push_back(product(queries, o.keys, key));
    kernels.push_back(softmax(batch * o.scores(), false, placement, precision));
    kernels.push_back(product(queries, value, o.keys));
  } else if (pass == Pass::input_gradient) {
    kernels.push_back(product(queries, o.keys, value));  // gradient of the weights
    kernels.push_back(product(o.keys, value, queries));  // gradient of the values
    kernels.push_back(softmax(batch * o.scores(), true, placement, precision));
    kernels.push_back(product(queries, key, o.keys));  // gradient of the queries
    kernels.push_back(product(o.keys, key, queries));  // gradient of the keys
    add_transposes(o, batch, placement, precision, kernels);
  }
  return kernels;
}

// Scores come from tanh over all pairs of query and key. A fused kernel holds the tanh on chip and computes it again in
// the backward pass.
KernelWork additive_scores(const Operands& o, bool backward, double batch, FusionRole placement, Precision precision) {
  const double pairs = batch * o.queries * o.keys;
  const double vectors = batch * (o.queries + o.keys) * o.channels;
  TensorPasses elements = backward ? TensorPasses{vectors + pairs, vectors} : TensorPasses{vectors, pairs};
  if (placement == FusionRole::separate) {
    const auto& plain = backward ? kAdditiveScoreOperators.backward : kAdditiveScoreOperators.forward;
    elements.read += plain.read * pairs * o.channels;
    elements.written += plain.written * pairs * o.channels;
    elements.launches = plain.launches;
  }
  return costs::elementwise_work(elements, precision);
}

Kernels additive(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  const Operands o = operands(layer);
  const auto product = [&](double m, double n, double k) { return matmul_kernel(m, n, k, batch, precision); };
  const double scores = batch * o.queries * o.keys;
  const auto passes = [&](bool backward) {
    return elementwise(elementwise_passes(LayerKind::softmax_loss, backward, placement, precision), scores, precision);
  };
  if (pass == Pass::forward) {
    return {additive_scores(o, false, batch, placement, precision), passes(false),
            product(o.queries, o.values, o.keys)};
  }
  if (pass == Pass::weight_gradient) return {};
  return {product(o.queries, o.keys, o.values), product(o.keys, o.values, o.queries), passes(true),
          additive_scores(o, true, batch, placement, precision)};
}

// One square holds all pairwise products of the bottom vector and the embedding rows; its lower triangle is used
// (Naumov et al., DLRM, arXiv:1906.00091; facebookresearch/dlrm, interact_features).
Kernels dots(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  const double width = layer.input.channels, rows = double(layer.others.at(0).positions()) + 1;
  const double result = double(layer.output.elements());
  Kernels kernels;
  const auto copy = [&](double elements) {
    kernels.push_back(costs::elementwise_work({batch * elements, batch * elements}, precision));
  };
  if (pass == Pass::weight_gradient) return kernels;
  if (placement == FusionRole::separate) copy(rows * width);  // the rows in one tensor, or their gradients apart
  if (pass == Pass::forward) {
    kernels.push_back(matmul_kernel(rows, rows, width, batch, precision));
    copy(result);  // the triangle behind the vector
  } else {
    copy(result);
    kernels.push_back(matmul_kernel(rows, width, rows, batch, precision));
  }
  return kernels;
}

}  // namespace

Kernels attention_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  if (layer.flash) return flash(layer, pass, batch, precision);
  if (layer.scores_heads()) return scaled(layer, pass, batch, precision, placement);
  if (layer.kind == LayerKind::additive_attention) return additive(layer, pass, batch, precision, placement);
  return dots(layer, pass, batch, precision, placement);
}

Kept attention_kept(const Layer& layer, FusionRole placement) {
  Kept kept;
  kept.inputs = true;
  const bool separate = placement == FusionRole::separate;
  if (layer.kind == LayerKind::dot_interaction) {
    if (separate) kept.extra = (double(layer.others.at(0).positions()) + 1) * layer.input.channels;
    return kept;
  }
  const Operands o = operands(layer);
  if (layer.flash) {
    kept.output = true;
    kept.wide = o.heads * o.queries;  // logarithms of sums
  } else if (layer.kind == LayerKind::additive_attention) {
    const double pairs = o.queries * o.keys;
    kept.extra = pairs + (separate ? kAdditiveScoreOperators.kept * pairs * o.channels : 0);
  } else if (layer.kind == LayerKind::self_attention && !layer.dropout) {
    kept.extra = o.scores();  // softmax
  } else if (separate) {
    kept.extra = kScoreOperators.kept * o.scores();
  } else {
    kept.extra = 2 * o.scores();  // softmax, and the weights after dropout
    kept.masks = o.scores();
  }
  return kept;
}

}  // namespace mlsim::workloads
