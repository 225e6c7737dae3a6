#include "kernels/key_work.hpp"

#include <algorithm>
#include <cmath>

namespace mlsim::kernels {
namespace {

double or_one(std::int64_t value) { return value == 0 ? 1 : double(value); }
std::int64_t or_else(std::int64_t value, std::int64_t usual) { return value == 0 ? usual : value; }

// Rows (or columns) of an input that at least one window covers.
std::int64_t covered(std::int64_t extent, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t padding = (kernel - 1) / 2, windows = (extent + 2 * padding - kernel) / stride + 1;
  std::int64_t count = 0, end = 0;  // end: of what earlier windows cover
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t begin = i * stride - padding, stop = std::min(begin + kernel, extent);
    count += std::max<std::int64_t>(0, stop - std::max(begin, end));
    end = std::max(end, stop);
  }
  return count;
}

struct Count {
  double flop = 0, elements = 0;
};

Count convolution(const KernelKey& key) {
  const auto& d = key.dims;
  const std::int64_t kernel_w = or_else(d[7], d[5]), stride_w = or_else(d[8], d[6]);
  const auto outputs = [](std::int64_t extent, std::int64_t kernel, std::int64_t stride) {
    const std::int64_t padding = (kernel - 1) / 2 * 2;
    const std::int64_t steps = (extent + padding - kernel) / stride;
    return double(steps + 1);
  };
  const bool whole = key.op == KernelOp::conv_input_gradient;
  const double rows = double(whole ? d[2] : covered(d[2], d[5], d[6]));
  const double columns = double(whole ? d[3] : covered(d[3], kernel_w, stride_w));
  const double output = double(d[0] * d[4]) * outputs(d[2], d[5], d[6]) * outputs(d[3], kernel_w, stride_w);
  const double taps = double(d[1]) / or_one(d[9]) * double(d[5] * kernel_w);
  return {2 * output * taps, double(d[0] * d[1]) * rows * columns + output + taps * double(d[4]) + double(d[10])};
}

Count product(double m, double n, double k, double equal, double beside) {
  return {2 * m * n * k * equal, equal * (m * k + k * n + m * n) + beside};
}

// Passes over a tensor of so many elements, as elementwise_passes (workloads/model/layer_work.hpp) has them for a
// kernel that leads its group.
Count passes(double times, double elements, std::int64_t beside) { return {0, times * elements + double(beside)}; }

Count count(const KernelKey& key) {
  const auto& d = key.dims;
  const double matrix = double(d[0]) * double(d[1]), map = matrix * double(d[2]) * double(d[3]);
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return convolution(key);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return product(double(d[0]), double(d[1]), double(d[2]), or_one(d[3]), double(d[4]));
    case KernelOp::batch_norm_forward: return passes(2.5, matrix, d[2]);
    case KernelOp::batch_norm_backward: return passes(5, matrix, d[2]);
    case KernelOp::layer_norm_forward: return passes(3, matrix, d[2]);
    case KernelOp::layer_norm_backward: return passes(4, matrix, d[2]);
    case KernelOp::max_pool_forward:
    case KernelOp::average_pool_forward: return passes(1.2, map, d[8]);
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_backward: return passes(2, map, d[8]);
    case KernelOp::softmax_loss_forward: return passes(2, matrix, 0);
    case KernelOp::softmax_loss_backward: return passes(3, matrix, 0);
    case KernelOp::sigmoid_loss_forward: return passes(2, double(d[0]), 0);
    case KernelOp::sigmoid_loss_backward: return passes(3, double(d[0]), 0);
    case KernelOp::elementwise: return {0, double(d[0]) + double(d[1])};
    case KernelOp::optimizer: return {0, double(d[0]) * double(d[2]) / 4};
    case KernelOp::gather:
    case KernelOp::scatter_add:
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward:
    case KernelOp::roi_align_forward:
    case KernelOp::roi_align_backward: break;
  }
  return {};
}

// Rows that lie anywhere, in sectors of device memory, and their numbers; see workloads/model/layer_work/look_up.cpp.
Bytes look_up_bytes(const KernelKey& key) {
  constexpr double kSector = 32, kNumber = 4;
  const double rows = double(key.dims[0]), stream = element_size(key.precision).value * double(key.dims[1]);
  const double scattered = std::ceil(stream / kSector) * kSector;
  if (key.op == KernelOp::gather) return Bytes(rows * (scattered + stream + kNumber));
  if (key.dims[2] == 0) return Bytes(rows * (2 * stream + kNumber));
  return Bytes(rows * (stream + 2 * scattered + kNumber) + stream * double(key.dims[2]));
}

}  // namespace

KeyWork key_work(const KernelKey& key) {
  if (key.op == KernelOp::gather || key.op == KernelOp::scatter_add) return {Flop(0), look_up_bytes(key)};
  const Count counted = count(key);
  const Bytes element = key.op == KernelOp::optimizer ? Bytes(4) : element_size(key.precision);
  return {Flop(counted.flop), element * counted.elements};
}

}  // namespace mlsim::kernels
