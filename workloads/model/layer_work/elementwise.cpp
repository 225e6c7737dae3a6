#include <optional>
#include <stdexcept>

#include "workloads/model/layer_work/parts.hpp"
#include "workloads/model/layer_work/primitive_operators.hpp"

namespace mlsim::workloads {
namespace {

constexpr TensorPasses kNothing{0, 0};

TensorPasses batch_normalization(bool backward, FusionRole placement) {
  if (!backward && placement == FusionRole::separate) return {2, 1};
  return costs::tensor_passes(backward ? KernelOp::batch_norm_backward : KernelOp::batch_norm_forward);
}

TensorPasses layer_normalization(bool backward, FusionRole placement) {
  const auto& plain = kLayerNormalizationOperators;
  if (placement == FusionRole::separate) return backward ? plain.backward : plain.forward;
  if (placement == FusionRole::merged) return backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
  return costs::tensor_passes(backward ? KernelOp::layer_norm_backward : KernelOp::layer_norm_forward);
}

TensorPasses activation(bool backward, FusionRole placement) {
  if (placement == FusionRole::merged) return kNothing;
  return backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
}

TensorPasses gelu(bool backward, FusionRole placement) {
  if (placement == FusionRole::separate) return backward ? kGeluOperators.backward : kGeluOperators.forward;
  if (placement == FusionRole::leads) return backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
  return backward ? TensorPasses{1, 0.5} : TensorPasses{0, 1};
}

TensorPasses dropout(bool backward, FusionRole placement, Precision precision) {
  if (placement == FusionRole::separate) return backward ? kDropoutOperators.backward : kDropoutOperators.forward;
  const double mask = 1 / element_size(precision).value;
  const double own = placement == FusionRole::leads ? 1 : 0;
  return backward ? TensorPasses{own + mask, own} : TensorPasses{own, own + mask};
}

TensorPasses addition(bool backward, FusionRole placement) {
  // The gradients of both inputs are the output's.
  if (backward) return placement == FusionRole::merged ? kNothing : TensorPasses{0.25, 0.25};
  return placement == FusionRole::merged ? TensorPasses{1, 0} : TensorPasses{2, 1};
}

TensorPasses loss(bool backward, FusionRole placement) {
  if (placement == FusionRole::separate) return {3, 1};
  return costs::tensor_passes(backward ? KernelOp::softmax_loss_backward : KernelOp::softmax_loss_forward);
}

TensorPasses multiply(const Layer& layer, bool backward, FusionRole placement) {
  const double own = double(layer.input.elements()), other = double(layer.others.at(0).elements());
  if (placement == FusionRole::merged) return backward ? TensorPasses{own + other, other} : TensorPasses{other, 0};
  return backward ? TensorPasses{2 * own + other, own + other} : TensorPasses{own + other, own};
}

// Copies between the layer's output and the part of its inputs that it takes; the gradient of what a select leaves out
// is zero and written.
TensorPasses copy(const Layer& layer, bool backward, FusionRole placement) {
  if (placement != FusionRole::separate) return kNothing;
  const double output = double(layer.output.elements());
  const double input = layer.kind == LayerKind::concat ? output : double(layer.input.elements());
  if (backward) return {output, input};
  return {layer.kind == LayerKind::select ? output : input, output};
}

KernelOp named_op(LayerKind kind, bool backward) {
  switch (kind) {
    case LayerKind::batch_normalization: return backward ? KernelOp::batch_norm_backward : KernelOp::batch_norm_forward;
    case LayerKind::layer_normalization: return backward ? KernelOp::layer_norm_backward : KernelOp::layer_norm_forward;
    case LayerKind::max_pool: return backward ? KernelOp::max_pool_backward : KernelOp::max_pool_forward;
    case LayerKind::average_pool: return backward ? KernelOp::average_pool_backward : KernelOp::average_pool_forward;
    case LayerKind::softmax_loss: return backward ? KernelOp::softmax_loss_backward : KernelOp::softmax_loss_forward;
    case LayerKind::sigmoid_loss: return backward ? KernelOp::sigmoid_loss_backward : KernelOp::sigmoid_loss_forward;
    default: return KernelOp::elementwise;
  }
}

// Returns the kernel of a layer that leads its group, where it has a name of its own.
std::optional<KernelWork> named_kernel(const Layer& layer, bool backward, double batch, Precision precision) {
  const KernelOp op = named_op(layer.kind, backward);
  if (op == KernelOp::elementwise) return std::nullopt;
  const std::int64_t channels = layer.input.channels;
  const double rows = batch * double(layer.input.positions());
  const auto work = [&](const KernelShape& shape, double count) {
    return costs::kernel_work({op, precision, shape}, {.count = count});
  };
  switch (layer.kind) {
    case LayerKind::batch_normalization:
    case LayerKind::layer_normalization: return work(RowsShape{whole(rows), channels}, rows);
    case LayerKind::softmax_loss: return work(LossShape{whole(rows), channels}, rows);
    case LayerKind::sigmoid_loss: return work(LossShape{whole(rows) * channels}, rows * double(channels));
    default:
      return work(PoolShape{whole(batch), channels, layer.input.height, layer.input.width, layer.kernel.height,
                            layer.stride.height, layer.kernel.width, layer.stride.width},
                  batch);
  }
}

// Without fusion these kinds run in fp32 (kCasts).
bool runs_wide(LayerKind kind, FusionRole placement) {
  return placement == FusionRole::separate && (kind == LayerKind::gelu || kind == LayerKind::layer_normalization);
}

}  // namespace

TensorPasses elementwise_passes(LayerKind kind, bool backward, FusionRole placement, Precision precision) {
  switch (kind) {
    case LayerKind::batch_normalization: return batch_normalization(backward, placement);
    case LayerKind::layer_normalization: return layer_normalization(backward, placement);
    case LayerKind::relu:
    case LayerKind::tanh:
    case LayerKind::sigmoid: return activation(backward, placement);
    case LayerKind::gelu: return gelu(backward, placement);
    case LayerKind::dropout: return dropout(backward, placement, precision);
    case LayerKind::add: return addition(backward, placement);
    case LayerKind::max_pool:
    case LayerKind::average_pool: return costs::tensor_passes(named_op(kind, backward));
    case LayerKind::softmax_loss:
    case LayerKind::sigmoid_loss:
    case LayerKind::regression_loss: return loss(backward, placement);
    default: throw std::logic_error("this kind of layer has no passes over one tensor");
  }
}

TensorPasses elementwise_elements(const Layer& layer, bool backward, FusionRole placement, Precision precision) {
  switch (layer.kind) {
    case LayerKind::multiply: return multiply(layer, backward, placement);
    case LayerKind::concat:
    case LayerKind::select:
    case LayerKind::upsample: return copy(layer, backward, placement);
    case LayerKind::flatten:
    case LayerKind::reshape:
    case LayerKind::host_work: return kNothing;
    default: break;
  }
  const TensorPasses passes = elementwise_passes(layer.kind, backward, placement, precision);
  const double tensor = double(layer.input.elements());
  return {passes.read * tensor, passes.written * tensor, passes.launches};
}

Kernels elementwise_layer_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  if (pass == Pass::weight_gradient) return {};
  const TensorPasses one = elementwise_elements(layer, pass == Pass::input_gradient, placement, precision);
  if (one.read + one.written == 0) return {};
  if (runs_wide(layer.kind, placement)) {
    const double tensor = element_size(precision) < Bytes(4) ? batch * double(layer.input.elements()) : 0;
    const int casts = tensor > 0 ? kCasts.launches : 0;
    return {costs::elementwise_work(
        {one.read * batch + kCasts.read * tensor, one.written * batch + kCasts.written * tensor, one.launches + casts},
        Precision::fp32)};
  }
  if (placement == FusionRole::leads) {
    if (const auto work = named_kernel(layer, pass == Pass::input_gradient, batch, precision)) return {*work};
  }
  return {costs::elementwise_work({one.read * batch, one.written * batch, one.launches}, precision)};
}

Kept elementwise_kept(const Layer& layer, FusionRole placement) {
  Kept kept;
  const bool separate = placement == FusionRole::separate;
  const double elements = double(layer.input.elements());
  switch (layer.kind) {
    case LayerKind::batch_normalization:
    case LayerKind::max_pool:
    case LayerKind::multiply:
    case LayerKind::sigmoid_loss:
    case LayerKind::regression_loss: kept.inputs = true; break;
    case LayerKind::layer_normalization:
    case LayerKind::gelu:
      if (separate) {
        const bool gelu = layer.kind == LayerKind::gelu;
        kept.wide = (1 + (gelu ? kGeluOperators : kLayerNormalizationOperators).kept) * elements;  // 1: the input
      } else {
        kept.inputs = true;
      }
      break;
    case LayerKind::dropout: (separate ? kept.extra : kept.masks) = elements; break;
    case LayerKind::relu:
    case LayerKind::tanh:
    case LayerKind::sigmoid:
    case LayerKind::softmax_loss: kept.output = true; break;
    default: break;
  }
  return kept;
}

}  // namespace mlsim::workloads
