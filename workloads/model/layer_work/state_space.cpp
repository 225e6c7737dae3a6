#include <algorithm>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

// Kernels of a scan move so many times what they have to: seven of them forward and as many again backward are Triton's
// (state-spaces/mamba, ops/triton/ssd_combined.py), which read operands anew and add up in fp32. The figure is that of
// both ways on an H100, with 64 heads of 128 states and with 32 of 256 (examples/calibrated-gpu/pytorch_operators.csv).
constexpr double kScanTraffic = 1.7;

// A `Scan` counts what the kernels of a state space work on, of all samples.
struct Scan {
  Scan(const Layer& layer, double batch)
      : chunk(std::min(double(layer.chunk), double(layer.input.positions()))),
        state(layer.state),
        width(double(layer.heads) / layer.kv_heads * layer.head_size),
        products(batch * double(layer.input.positions()) / chunk * layer.kv_heads),
        inner(batch * double(layer.output.elements())),
        convolved(inner + 2 * products * chunk * state),
        states(products * width * state),
        steps(batch * double(layer.input.positions()) * layer.heads) {}

  double chunk, state, width;  // tokens, numbers of a state, and channels of the heads of a group
  double products;             // chunks of all groups
  double inner, convolved;     // elements of the result, and of what is convolved: inputs, B and C
  double states, steps;        // elements of the states behind the chunks, and of a number for each token and head
};

// A `Kernel` list grows kernel by kernel; products run in bf16 in eight-bit steps, as attention does.
struct KernelList {
  Precision format;
  Kernels kernels;

  void product(const Scan& scan, double m, double n, double k) {
    kernels.push_back(matmul_kernel(m, n, k, scan.products, format));
  }
  void moves(double read, double written) { kernels.push_back(costs::elementwise_work({read, written}, format)); }
  void moves_wide(double read, double written) {
    kernels.push_back(costs::elementwise_work({read, written}, Precision::fp32));
  }
};

// Convolves, sums up decays, and makes B times C and the states: what the backward pass does again.
void add_states(const Scan& scan, KernelList& list) {
  list.moves(scan.convolved, scan.convolved);
  list.moves_wide(scan.steps, 2 * scan.steps);
  list.product(scan, scan.chunk, scan.chunk, scan.state);  // C B
  list.product(scan, scan.state, scan.width, scan.chunk);  // B x
  list.moves_wide(scan.states, scan.states);               // from chunk to chunk
}

void add_backward(const Scan& scan, KernelList& list) {
  list.moves(3 * scan.inner, 2 * scan.inner);                           // gated norm
  list.product(scan, scan.state, scan.width, scan.chunk);               // of states
  list.moves_wide(2 * scan.states, scan.states);                        // from chunk to chunk
  list.product(scan, scan.chunk, scan.width, scan.chunk + scan.state);  // of x, within the chunk and by states
  list.product(scan, scan.chunk, scan.state, scan.width);               // of B and
  list.product(scan, scan.chunk, scan.state, scan.width);               // of C by states
  list.product(scan, scan.chunk, scan.chunk, scan.width);               // of C B, and from it
  list.product(scan, scan.chunk, scan.state, scan.chunk);               // of B and
  list.product(scan, scan.chunk, scan.state, scan.chunk);               // of C
  list.moves_wide(2 * scan.steps, scan.steps);
  list.moves(2 * scan.convolved, scan.convolved);
}

}  // namespace

Kernels state_space_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  if (pass == Pass::weight_gradient) return {};
  const Scan scan(layer, batch);
  KernelList list{plain_format(precision), {}};
  add_states(scan, list);
  if (pass == Pass::input_gradient) {
    add_backward(scan, list);
  } else {
    list.product(scan, scan.chunk, scan.width, scan.chunk + scan.state);  // within the chunk and from states
    list.moves(2 * scan.inner, scan.inner);                               // gated norm
  }
  for (KernelWork& work : list.kernels) work.bytes *= kScanTraffic;
  return list.kernels;
}

// Kept are the projections and the scan's result in front of its norm (MambaSplitConv1dScanCombinedFn), whose
// deviations are a number for each token and group.
Kept state_space_kept(const Layer& layer, FusionRole) {
  Kept kept;
  kept.inputs = true;
  kept.extra = double(layer.output.elements());
  kept.wide = double(layer.input.positions()) * layer.kv_heads;
  return kept;
}

}  // namespace mlsim::workloads
