#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {

Kernels lstm_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  const std::int64_t hidden = layer.output.channels / layer.directions, gates = 4 * hidden;
  const std::int64_t steps = layer.input.positions();
  const auto product = [&](std::int64_t inputs, double biases) {
    return dense_kernel(pass, batch * double(steps), inputs, gates, 1, biases, precision);
  };
  const auto recurrence = [&](KernelOp op) {
    return costs::kernel_work({op, precision, LstmShape{whole(batch), hidden, steps}}, {.count = batch});
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
