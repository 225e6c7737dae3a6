#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kGates = 4;

// Elements of size `hidden` that one step of one sample moves in addition to the product's own operands.
// Forward: reads the input's share of the gates (4), the hidden vector and the cell; writes gates, hidden and cell.
constexpr double kForwardVectors = 12;
// Backward: reads the gates, this cell and the one before, the gradients of output, hidden and cell; writes those of
// the gates, hidden and cell.
constexpr double kBackwardVectors = 15;

KernelWork recurrence(const Layer& layer, bool backward, double batch, Precision precision) {
  const double hidden = double(layer.output.channels) / layer.directions;
  const double steps = double(layer.input.positions());
  KernelWork work;
  work.key = {backward ? KernelOp::lstm_backward : KernelOp::lstm_forward,
              precision,
              {whole(batch), whole(hidden), whole(steps)}};
  work.gemm = backward ? GemmShape{batch, hidden, kGates * hidden} : GemmShape{batch, kGates * hidden, hidden};
  work.products = steps;
  work.launches = static_cast<int>(steps);
  work.flop = Flop(2 * batch * kGates * hidden * hidden * steps);
  const double vectors = batch * (backward ? kBackwardVectors : kForwardVectors) * hidden;
  work.bytes = element_size(precision) * (steps * (kGates * hidden * hidden + vectors));
  return work;
}

}  // namespace

Kernels lstm_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  const double hidden = double(layer.output.channels) / layer.directions;
  const double rows = batch * double(layer.input.positions());
  const double gates = kGates * hidden;
  const auto product = [&](double inputs, double biases) {
    return dense_kernel(pass, rows, inputs, gates, 1, biases, precision);
  };
  Kernels kernels;
  for (int direction = 0; direction < layer.directions; ++direction) {
    if (pass == Pass::input_gradient) kernels.push_back(recurrence(layer, true, batch, precision));
    kernels.push_back(product(layer.input.channels, layer.biases));
    if (pass == Pass::weight_gradient) kernels.push_back(product(hidden, 0));
    if (pass == Pass::forward) kernels.push_back(recurrence(layer, false, batch, precision));
  }
  return kernels;
}

}  // namespace mlsim::workloads
