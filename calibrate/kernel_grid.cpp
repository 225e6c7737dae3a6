#include "calibrate/measure_plan.hpp"

#include <cstdint>
#include <utility>

namespace mlsim::calibrate {
namespace {

class Grid {
 public:
  Grid(KernelDevice device, Precision precision) : gpu_(device == KernelDevice::cuda), precision_(precision) {}

  std::vector<KernelKey> keys() {
    add_products();
    add_convolutions();
    add_normalizations();
    add_look_ups();
    add_elementwise();
    return std::move(keys_);
  }

 private:
  void add(KernelOp op, const KernelShape& shape) { keys_.push_back({op, precision_, shape}); }

  // Products are square, or have one or two short sides: a bias-bound row, a narrow output, a short sum.
  void add_products() {
    const std::int64_t largest = gpu_ ? 8192 : 2048;
    for (std::int64_t n = largest / 32; n <= largest; n *= 2) add(KernelOp::matmul, ProductShape{n, n, n});
    const std::int64_t n = largest / 2, few = gpu_ ? 64 : 16;
    add(KernelOp::matmul, ProductShape{n, few, n});
    add(KernelOp::matmul, ProductShape{n, n, few});
    add(KernelOp::matmul, ProductShape{few, n, n});
    add(KernelOp::matmul, ProductShape{n, few, few});
  }

  // Shapes are of residual networks (He et al., arXiv:1512.03385, table 1): a 3x3 of each width, a 1x1, the first 7x7.
  void add_convolutions() {
    const std::int64_t batch = gpu_ ? 64 : 8;
    for (const KernelOp op : {KernelOp::conv_forward, KernelOp::conv_input_gradient, KernelOp::conv_weight_gradient}) {
      add(op, ConvolutionShape{batch, 64, 56, 56, 64, 3, 1});
      add(op, ConvolutionShape{batch, 128, 28, 28, 128, 3, 1});
      add(op, ConvolutionShape{batch, 256, 28, 28, 256, 3, 2});
      add(op, ConvolutionShape{batch, 512, 7, 7, 512, 3, 1});
      add(op, ConvolutionShape{batch, 256, 56, 56, 64, 1, 1});
      add(op, ConvolutionShape{batch, 3, 224, 224, 64, 7, 2});
    }
  }

  void add_normalizations() {
    const std::int64_t rows = gpu_ ? 65536 : 8192;
    for (const std::int64_t channels : {64, 256, 1024}) {
      for (const KernelOp op : {KernelOp::batch_norm_forward, KernelOp::batch_norm_backward,
                                KernelOp::layer_norm_forward, KernelOp::layer_norm_backward})
        add(op, RowsShape{rows, channels});
    }
    for (const KernelOp op : {KernelOp::softmax_loss_forward, KernelOp::softmax_loss_backward}) {
      add(op, LossShape{rows / 64, 1000});
      add(op, LossShape{rows / 16, 4000});
    }
    for (const KernelOp op : {KernelOp::sigmoid_loss_forward, KernelOp::sigmoid_loss_backward}) {
      add(op, LossShape{rows});
      add(op, LossShape{rows * 256});
    }
    for (const KernelOp op : {KernelOp::max_pool_forward, KernelOp::max_pool_backward, KernelOp::average_pool_forward,
                              KernelOp::average_pool_backward}) {
      add(op, PoolShape{rows / 1024, 64, 112, 112, 2, 2});
      add(op, PoolShape{rows / 1024, 256, 28, 28, 2, 2});
    }
  }

  void add_look_ups() {
    const std::int64_t rows = gpu_ ? 65536 : 8192;
    for (const std::int64_t width : {64, 1024}) {
      add(KernelOp::gather, LookUpShape{rows, width, 30000});
      add(KernelOp::scatter_add, LookUpShape{rows, width, 30000});
    }
  }

  // Arrays span 16 KiB to 64 MiB on a processor, 1 GiB on a GPU; updates are of momentum (20 bytes) and Adam (28).
  void add_elementwise() {
    const std::int64_t largest = gpu_ ? std::int64_t{1} << 28 : std::int64_t{1} << 24;
    for (std::int64_t n = 4096; n <= largest; n *= 16) add(KernelOp::elementwise, ElementwiseShape{n, n});
    for (const auto& [rule, bytes] : {std::pair{UpdateRule::momentum, 20}, {UpdateRule::adam, 28}}) {
      for (const std::int64_t n : {largest / 256, largest / 4})
        keys_.push_back({KernelOp::optimizer, Precision::fp32, OptimizerShape{n, 64, bytes, 1, rule}});
    }
  }

  bool gpu_;
  Precision precision_;
  std::vector<KernelKey> keys_;
};

}  // namespace

std::vector<KernelKey> kernel_grid(KernelDevice device, Precision precision) { return Grid(device, precision).keys(); }

}  // namespace mlsim::calibrate
