#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

double bias_elements(const Layer& layer, double batch) { return batch * double(layer.output.elements()); }

Kernels plain(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  const double rows = batch * double(layer.input.positions());
  Kernels kernels{
      dense_kernel(pass, rows, layer.input.channels, layer.output.channels, 1, layer.bias ? 1 : 0, precision)};
  const bool bias_apart = layer.bias && placement == FusionRole::separate && layer.input.positions() > 1;
  if (!bias_apart || pass == Pass::input_gradient) return kernels;
  const double elements = bias_elements(layer, batch);
  const double written = pass == Pass::forward ? elements : layer.output.channels;
  kernels.push_back(costs::elementwise_work({elements, written}, precision));
  return kernels;
}

}  // namespace

Kernels dense_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole placement) {
  if (layer.kind == LayerKind::dense) return plain(layer, pass, batch, precision, placement);
  const double routed = batch * double(layer.input.positions()) * layer.chosen / layer.experts;
  return {dense_kernel(pass, routed, layer.input.channels, layer.output.channels, layer.experts, layer.bias ? 1 : 0,
                       precision)};
}

Kept matrix_kept(const Layer& layer, FusionRole) {
  Kept kept;
  kept.inputs = layer.trainable;
  if (layer.kind != LayerKind::lstm) return kept;
  // The gradients through time read the four gates and the cell of every step; those of the recurrent weights the
  // hidden vectors.
  kept.inputs = true;
  kept.output = true;
  kept.extra = 5.0 * double(layer.output.elements());
  return kept;
}

Kernels lstm_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  const std::int64_t hidden = layer.output.channels / layer.directions, gates = 4 * hidden;
  const std::int64_t steps = layer.input.positions();
  const auto product = [&](std::int64_t inputs, double biases) {
    return dense_kernel(pass, batch * double(steps), inputs, gates, 1, biases, precision);
  };
  const auto recurrence = [&](KernelOp op) {
    KernelWork work = costs::kernel_work({op, precision, LstmShape{whole(batch), hidden, steps}}, {.count = batch});
    work.both_directions = layer.directions > 1;
    return work;
  };
  Kernels kernels;
  for (int direction = 0; direction < layer.directions; ++direction) {
    if (pass == Pass::input_gradient) kernels.push_back(recurrence(KernelOp::lstm_backward));
    kernels.push_back(product(layer.input.channels, layer.biases));
    if (pass == Pass::weight_gradient) kernels.push_back(product(hidden, 0));
    if (pass == Pass::forward) kernels.push_back(recurrence(KernelOp::lstm_forward));
  }
  return kernels;
}

}  // namespace mlsim::workloads
