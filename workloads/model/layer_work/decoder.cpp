#include <stdexcept>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

// Returns the elements of queries and keys among packed projections.
double queries_and_keys(const Layer& layer) {
  return double(layer.input.positions()) * layer.head_size * (double(layer.heads) + layer.kv_heads);
}

TensorPasses times(TensorPasses passes, double elements) { return {passes.read * elements, passes.written * elements}; }

// Rows get the bias of their expert's last product by their weight, expert by expert: a product, a sum and a
// concatenation in fp32 and a cast, and backward the gradients of all three (Megatron-LM, TEGroupedMLP._apply_bias). These
// are so many passes over the rows in 16 bits by their time on an H100 (examples/calibrated-gpu/pytorch_operators.csv,
// expert_bias, of rows of gpt-oss-120b).
constexpr double kBiasForward = 18, kBiasBackward = 29;

TensorPasses combined(const Layer& layer, bool backward) {
  const double input = double(layer.input.elements()), output = double(layer.output.elements());
  if (backward) return {output + (layer.bias ? kBiasBackward * input : 0), input};
  return {input + (layer.bias ? kBiasForward * input : 0), output};
}

TensorPasses moved(const Layer& layer, bool backward) {
  const double input = double(layer.input.elements()), output = double(layer.output.elements());
  const TensorPasses row = backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
  switch (layer.kind) {
    case LayerKind::rms_normalization: return times(row, output);
    case LayerKind::head_normalization: return times(row, queries_and_keys(layer));
    case LayerKind::squared_relu: return times(row, input);
    case LayerKind::swiglu:
    case LayerKind::geglu: return backward ? TensorPasses{input + output, input} : TensorPasses{input, output};
    case LayerKind::rotary: return times({1, 1}, queries_and_keys(layer));
    case LayerKind::latent_rotary: {
      const double inputs = input + double(layer.others[0].elements()) + double(layer.others[1].elements());
      return backward ? TensorPasses{output, inputs} : TensorPasses{inputs, output};
    }
    case LayerKind::expert_dispatch: return times({1, 1}, output);
    case LayerKind::expert_combine: return combined(layer, backward);
    case LayerKind::cross_entropy: return times(backward ? TensorPasses{1, 1} : TensorPasses{2, 1}, input);
    default: throw std::logic_error("this kind of layer is not one of decoders");
  }
}

}  // namespace

Kernels decoder_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  if (pass == Pass::weight_gradient) return {};
  const TensorPasses one = moved(layer, pass == Pass::input_gradient);
  return {costs::elementwise_work({one.read * batch, one.written * batch}, precision)};
}

// A normalisation keeps its input, an activation too; what turns or moves positions needs none. The loss keeps the
// logits' exponentials in fp32 (Korthikanti et al., arXiv:2205.05198, section 4.3).
Kept decoder_kept(const Layer& layer, FusionRole) {
  Kept kept;
  switch (layer.kind) {
    case LayerKind::rms_normalization:
    case LayerKind::head_normalization:
    case LayerKind::squared_relu:
    case LayerKind::swiglu:
    case LayerKind::geglu: kept.inputs = true; break;
    case LayerKind::cross_entropy: kept.wide = double(layer.input.elements()); break;
    default: break;
  }
  return kept;
}

}  // namespace mlsim::workloads
