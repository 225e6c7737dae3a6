#include "costs/kernel_work.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mlsim::costs {
namespace {

// Counts the rows (or columns) of an image that at least one window covers.
std::int64_t covered(std::int64_t extent, std::int64_t windows, std::int64_t kernel, std::int64_t stride,
                     std::int64_t padding) {
  std::int64_t count = 0, end = 0;  // end: of what earlier windows cover
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t begin = i * stride - padding, stop = std::min(begin + kernel, extent);
    count += std::max<std::int64_t>(0, stop - std::max(begin, end));
    end = std::max(end, stop);
  }
  return count;
}

Windows usual_windows(const ConvolutionShape& s) {
  const auto count = [](std::int64_t extent, std::int64_t kernel, std::int64_t stride) {
    return std::max<std::int64_t>(1, (extent + (kernel - 1) / 2 * 2 - kernel) / stride + 1);
  };
  return {s.height,
          s.width,
          count(s.height, s.kernel_h, s.stride_h),
          count(s.width, s.kernel_w, s.stride_w),
          (s.kernel_h - 1) / 2,
          (s.kernel_w - 1) / 2};
}

bool fast_in_fp32(const ConvolutionShape& s) {
  const bool square = s.kernel_h == s.kernel_w && (s.kernel_h == 3 || s.kernel_h == 5);
  return square && s.stride_h == 1 && s.stride_w == 1 && s.channels > 3 && s.groups == 1;
}

GemmShape gemm_of(KernelOp op, const ConvolutionShape& s, const Windows& w, double batch) {
  const double taps = double(s.kernel_h) * double(s.kernel_w);
  const double inputs = double(s.channels) / double(s.groups), outputs = double(s.outputs) / double(s.groups);
  const double input_pixels = batch * double(w.height - w.halo) * double(w.width - w.halo_columns);
  const double output_pixels = batch * double(w.out_h * w.out_w);
  if (op == KernelOp::conv_forward) return {output_pixels, outputs, inputs * taps};
  if (op == KernelOp::conv_input_gradient) {
    return {input_pixels / (double(s.stride_h) * double(s.stride_w)), inputs, outputs * taps};
  }
  return {inputs * taps, outputs, output_pixels};
}

// Returns the share of pairs of query and key that kernels with a mask work on: of w keys at most, query i sees the
// last min(i, w), w k - w w / 2 of k k pairs in sum.
double seen_share(const AttentionShape& s) {
  if (s.causal == 0) return 1;
  const double window = s.window == 0 ? 1 : std::min(1.0, double(s.window) / double(s.keys));
  return window - window * window / 2;
}

// All figures are of one sample, in elements.
double image_elements(KernelOp op, const ConvolutionShape& s, const Windows& w) {
  if (op == KernelOp::conv_input_gradient) return double(s.channels * w.height * w.width);
  return double(s.channels) * double(covered(w.height, w.out_h, s.kernel_h, s.stride_h, w.padding_h)) *
         double(covered(w.width, w.out_w, s.kernel_w, s.stride_w, w.padding_w));
}

// An account counts the work of one key: its shapes' extents as numbers, and what the layer knows beyond them.
class Account {
 public:
  Account(const KernelKey& key, const BeyondKey& beyond)
      : op_(key.op), element_(element_size(key.precision)), beyond_(beyond) {
    work_.key = key;
  }

  KernelWork work() {
    std::visit([this](const auto& shape) { count(shape); }, work_.key.shape);
    work_.bytes += element_ * double(merged_elements(work_.key.shape));
    return work_;
  }

 private:
  double extent(std::int64_t rounded) const { return beyond_.count.value_or(double(rounded)); }

  void count(const ConvolutionShape& s) {
    const Windows windows = beyond_.windows ? *beyond_.windows : usual_windows(s);
    const double batch = extent(s.batch), outputs = double(s.outputs * windows.out_h * windows.out_w);
    const double taps = double(s.channels) / double(s.groups) * double(s.kernel_h) * double(s.kernel_w);
    const double weights = taps * double(s.outputs) + beyond_.biases;
    work_.flop = Flop(2.0 * batch * taps * outputs);
    work_.bytes = element_ * (batch * (image_elements(op_, s, windows) + outputs) + weights);
    if (s.groups == 1 || s.groups != s.channels) {
      work_.gemm = gemm_of(op_, s, windows, batch);
      work_.products = double(s.groups);
    }
    work_.fast_fp32_convolution = fast_in_fp32(s);
  }

  void count(const DenseShape& s) {
    const double rows = extent(s.rows), inputs = double(s.inputs), outputs = double(s.outputs);
    const double products = double(s.products);
    work_.gemm = op_ == KernelOp::dense_forward          ? GemmShape{rows, outputs, inputs}
                 : op_ == KernelOp::dense_input_gradient ? GemmShape{rows, inputs, outputs}
                                                         : GemmShape{inputs, outputs, rows};
    work_.products = products;
    work_.flop = Flop(2 * rows * inputs * outputs * products);
    work_.bytes =
        element_ * (products * (rows * inputs + rows * outputs + inputs * outputs + beyond_.biases * outputs));
  }

  void count(const ProductShape& s) {
    const double m = double(s.m), n = double(s.n), k = double(s.k), products = extent(s.products);
    work_.gemm = {m, n, k};
    work_.products = products;
    work_.flop = Flop(2 * m * n * k * products);
    work_.bytes = element_ * (products * (m * k + k * n + m * n));
  }

  // Scores stay on chip in FlashAttention (Dao et al., arXiv:2205.14135, algorithms 1 and 2; Dao, arXiv:2307.08691),
  // and the logarithm of each query's sum is kept in fp32. Backward computes the scores again and four gradients from
  // queries, keys, values, the result and its gradient. A causal mask spares half of the pairs, and a window all but
  // those of a band; kernels skip blocks of pairs that are masked whole (Dao, arXiv:2307.08691, section 3.1.1).
  void count(const AttentionShape& s) {
    const bool backward = op_ == KernelOp::flash_attention_backward;
    const double heads = extent(s.heads), queries = double(s.queries), keys = double(s.keys);
    const double channels = double(s.channels), values = double(s.values);
    const double products = backward ? 3 * channels + 2 * values : channels + values;
    work_.flop = Flop(2 * heads * queries * keys * products * seen_share(s));
    const double shared = heads * double(s.kv_heads) / double(s.heads);
    const double elements = heads * queries * (channels + values) + shared * keys * (channels + values);
    work_.bytes = element_ * (elements * (backward ? 2 : 1)) + Bytes(4 * heads * queries);
  }

  void count(const LstmShape& s) {
    constexpr double kGates = 4;
    // These count the elements of size `hidden` that one step of one sample moves beside the product's own operands.
    // Forward reads the input's share of the gates (4), the hidden vector and the cell; writes gates, hidden and cell.
    // Backward reads the gates, this cell and the one before, the gradients of output, hidden and cell; writes those of
    // the gates, hidden and cell.
    constexpr double kForwardVectors = 12, kBackwardVectors = 15;
    const bool backward = op_ == KernelOp::lstm_backward;
    const double batch = extent(s.batch), hidden = double(s.hidden), steps = double(s.steps);
    work_.gemm = backward ? GemmShape{batch, hidden, kGates * hidden} : GemmShape{batch, kGates * hidden, hidden};
    work_.products = steps;
    work_.launches = static_cast<int>(steps);
    work_.flop = Flop(2 * batch * kGates * hidden * hidden * steps);
    const double vectors = batch * (backward ? kBackwardVectors : kForwardVectors) * hidden;
    work_.bytes = element_ * (steps * (kGates * hidden * hidden + vectors));
  }

  // A row that lies anywhere moves whole sectors of device memory (CUDA C++ Programming Guide, device memory accesses),
  // and its number. A dense gradient is cleared and added to row by row; of a sparse one only the rows exist.
  void count(const LookUpShape& s) {
    constexpr double kSector = 32;
    constexpr Bytes kNumber(4);
    const double rows = extent(s.rows);
    const Bytes stream = element_ * double(s.width);
    const Bytes scattered(std::ceil(stream.value / kSector) * kSector);
    const bool adds = op_ == KernelOp::scatter_add, sparse = s.table_rows == 0;
    const Bytes added = sparse ? stream : scattered * 2.0;
    work_.bytes = (adds ? stream + added + kNumber : scattered + stream + kNumber) * rows;
    if (adds && !sparse) work_.bytes += stream * double(s.table_rows);
  }

  // Backward clears, reads and writes the gradient of the map.
  void count(const RegionShape& s) {
    const double map = double(s.channels * s.positions) * (op_ == KernelOp::roi_align_backward ? 3 : 1);
    work_.bytes = element_ * (extent(s.batch) * (map + double(s.bins * s.channels)));
  }

  void count(const RowsShape& s) { pass(double(s.channels), extent(s.rows)); }
  void count(const PoolShape& s) { pass(double(s.channels * s.height * s.width), extent(s.batch)); }
  void count(const LossShape& s) { pass(double(s.classes), extent(s.rows)); }
  void pass(double tensor, double times) {
    const TensorPasses passes = tensor_passes(op_);
    work_.bytes = element_ * (passes.read * tensor * times + passes.written * tensor * times);
  }

  void count(const ElementwiseShape& s) {
    work_.bytes = element_ * (double(s.read) + double(s.written));
    work_.launches = static_cast<int>(s.launches);
  }

  void count(const OptimizerShape& s) {
    work_.bytes = Bytes(double(s.bytes_per_parameter)) * double(s.parameters);
    work_.launches = static_cast<int>(s.launches);
  }

  KernelOp op_;
  Bytes element_;
  const BeyondKey& beyond_;
  KernelWork work_;
};

}  // namespace

KernelWork kernel_work(const KernelKey& key, const BeyondKey& beyond) { return Account(key, beyond).work(); }

TensorPasses tensor_passes(KernelOp op) {
  switch (op) {
    case KernelOp::batch_norm_forward: return {1.5, 1};
    case KernelOp::batch_norm_backward: return {4, 1};
    case KernelOp::layer_norm_forward: return {2, 1};
    case KernelOp::layer_norm_backward: return {3, 1};
    case KernelOp::max_pool_forward:
    case KernelOp::average_pool_forward: return {1, 0.2};
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_backward:
    case KernelOp::softmax_loss_forward:
    case KernelOp::sigmoid_loss_forward: return {1, 1};
    case KernelOp::softmax_loss_backward:
    case KernelOp::sigmoid_loss_backward: return {2, 1};
    default: throw std::logic_error("kernels of " + std::string(name(op)) + " do not pass over one tensor");
  }
}

KernelWork elementwise_work(TensorPasses elements, Precision precision) {
  KernelWork work =
      kernel_work({KernelOp::elementwise, precision,
                   ElementwiseShape{std::llround(elements.read), std::llround(elements.written), elements.launches}});
  work.bytes = element_size(precision) * (elements.read + elements.written);
  return work;
}

void merge(KernelWork& host, const KernelWork& merged) {
  const auto& moved = shape_of<ElementwiseShape>(merged.key);
  host.bytes += merged.bytes;
  if (auto* elementwise = std::get_if<ElementwiseShape>(&host.key.shape)) {
    elementwise->read += moved.read;
    elementwise->written += moved.written;
  } else if (std::int64_t* elements = merged_field(host.key.shape)) {
    *elements += moved.read + moved.written;
  } else {
    throw std::logic_error("nothing merges into kernels of " + std::string(name(host.key.op)));
  }
}

}  // namespace mlsim::costs
