#include <algorithm>
#include <cmath>

#include "kernels/cpu/framework/reference.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/convolution.hpp"

namespace mlsim::kernels {
namespace {

// A key has rows, not samples and positions: they become panels of at most a 32 x 32 map, so that threads can share
// them out.
constexpr std::int64_t kMostPositions = 1024;

BlockedShape blocked_shape(const RowsShape& shape) {
  const std::int64_t rows = shape.rows;
  std::int64_t positions = std::min(rows, kMostPositions);
  while (rows % positions != 0) --positions;
  return {rows / positions, shape.channels, positions, channel_block()};
}

// What is merged into a forward pass begins with a residual where it is a tensor or more.
bool reads_residual(const KernelKey& key) {
  const auto& shape = shape_of<RowsShape>(key);
  return key.op == KernelOp::batch_norm_forward && shape.merged >= shape.rows * shape.channels;
}

// This is forward or backward of one batch normalisation with its ReLU.
struct BatchNormState {
  BatchNormState(const KernelKey& key, int threads)
      : backward(key.op == KernelOp::batch_norm_backward),
        has_residual(reads_residual(key)),
        norm(blocked_shape(shape_of<RowsShape>(key)), threads),
        x(random_buffer(norm.shape().elements(), 1)),
        other(random_buffer(norm.shape().elements(), 2)),
        result(norm.shape().elements()) {
    RandomNumbers numbers(3);
    for (std::int64_t c = 0; c < norm.shape().channels; ++c) {
      norm.scale[c] = numbers.uniform(0.5f, 1.5f);
      norm.shift[c] = numbers.uniform(-0.5f, 0.5f);
    }
    if (backward) norm.forward(x.data(), nullptr, true, result.data());  // for the statistics
  }

  void run() {
    if (backward) {
      norm.backward({.x = x.data(), .gradient = other.data(), .dx = result.data()});
    } else {
      norm.forward(x.data(), has_residual ? other.data() : nullptr, true, result.data());
    }
  }

  // The kernel before has just made this.
  Buffer& arriving() { return backward ? other : x; }

  double largest_error() {
    run();
    const BlockedShape& shape = norm.shape();
    ErrorMeter meter;
    for_checked(shape.channels, shape.rows() * 10, [&](std::int64_t channel) {
      const auto y = norm_channel(norm, x.data(), has_residual ? other.data() : nullptr, true, channel);
      const auto reference = backward ? norm_gradient_channel(norm, x.data(), other.data(), y, channel) : y;
      for (std::int64_t r = 0; r < shape.rows(); ++r) {
        // At the kink of the ReLU fp32 and float64 may disagree on which side a number is.
        if (backward && std::abs(kink_distance(channel, r)) < 1e-5) continue;
        meter.compare(double(result[blocked_index(shape, channel, r)]), reference[r]);
      }
    });
    return meter.largest();
  }

  double kink_distance(std::int64_t c, std::int64_t row) const {
    const double x_value = double(x[blocked_index(norm.shape(), c, row)]);
    return (x_value - double(norm.mean[c])) * double(norm.inverse_deviation[c]) * double(norm.scale[c]) +
           double(norm.shift[c]);
  }

  bool backward, has_residual;
  BatchNorm norm;
  Buffer x, other, result;
};

struct LayerNormState {
  LayerNormState(const KernelKey& key, int threads)
      : backward(key.op == KernelOp::layer_norm_backward),
        shape{shape_of<RowsShape>(key).rows, shape_of<RowsShape>(key).channels, threads} {
    const std::int64_t all = shape.elements(), columns = shape.columns;
    operands = {random_buffer(all, 1),
                Buffer(all),
                random_buffer(all, 2),
                Buffer(all),
                random_buffer(columns, 3, 0.5f, 1.5f),
                random_buffer(columns, 4, -0.5f, 0.5f),
                Buffer(columns),
                Buffer(columns),
                Buffer(shape.rows),
                Buffer(shape.rows)};
    layer_norm(shape, operands);
  }

  void run() { backward ? layer_norm_gradient(shape, operands) : layer_norm(shape, operands); }

  // The kernel before has just made this.
  Buffer& arriving() { return backward ? operands.gradient : operands.x; }

  double largest_error() {
    run();
    ErrorMeter meter;
    for_checked(shape.rows, shape.columns * 10, [&](std::int64_t r) { compare_row(r, meter); });
    return meter.largest();
  }

  void compare_row(std::int64_t r, ErrorMeter& meter) const {
    const auto& o = operands;
    const std::int64_t begin = r * shape.columns;
    const double columns = double(shape.columns);
    double mean = 0, square = 0, sum = 0, product = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) mean += double(o.x[begin + c]) / columns;
    for (std::int64_t c = 0; c < shape.columns; ++c) square += std::pow(double(o.x[begin + c]) - mean, 2) / columns;
    const double deviation = std::sqrt(square + 1e-5);  // as the kernel
    const auto normalised = [&](std::int64_t c) { return (double(o.x[begin + c]) - mean) / deviation; };
    const auto scaled = [&](std::int64_t c) { return double(o.gradient[begin + c]) * double(o.scale[c]); };
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      sum += scaled(c) / columns;
      product += scaled(c) * normalised(c) / columns;
    }
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      if (backward) {
        meter.compare(double(o.dx[begin + c]), (scaled(c) - sum - normalised(c) * product) / deviation);
      } else {
        meter.compare(double(o.y[begin + c]), normalised(c) * double(o.scale[c]) + double(o.shift[c]));
      }
    }
  }

  bool backward;
  RowShape shape;
  LayerNormOperands operands;
};

template <class State>
CpuOperation operation_of(const KernelKey& key, std::int64_t beside, int threads) {
  const auto state = std::make_shared<State>(key, threads);
  return with_elements_beside(operation_on(state, costs::kernel_work(key), threads), beside, threads);
}

CpuOperation with_work(const KernelKey& key, std::function<void()> run, std::function<double()> error) {
  const KernelWork work = costs::kernel_work(key);
  return {std::move(run), std::move(error), work.bytes, work.flop};
}

}  // namespace

CpuOperation batch_norm_operation(const KernelKey& key, int threads) {
  const auto& shape = shape_of<RowsShape>(key);
  const std::int64_t residual = reads_residual(key) ? shape.rows * shape.channels : 0;
  return operation_of<BatchNormState>(key, shape.merged - residual, threads);
}

CpuOperation layer_norm_operation(const KernelKey& key, int threads) {
  return operation_of<LayerNormState>(key, shape_of<RowsShape>(key).merged, threads);
}

CpuOperation softmax_operation(const KernelKey& key, int threads) {
  const bool backward = key.op == KernelOp::softmax_loss_backward;
  const auto& [rows, classes] = shape_of<LossShape>(key);
  const RowShape shape{rows, classes, threads};
  const auto operands = std::make_shared<SoftmaxLossOperands>(random_softmax_operands(shape));
  softmax_loss(shape, *operands);
  const auto run = [=] { backward ? softmax_loss_gradient(shape, *operands) : softmax_loss(shape, *operands); };
  return with_work(key, run, [=] {
    run();
    return softmax_error(shape, *operands, backward);
  });
}

CpuOperation sigmoid_operation(const KernelKey& key, int threads) {
  struct Operands {
    Buffer logits, labels, result;
  };
  const bool backward = key.op == KernelOp::sigmoid_loss_backward;
  const auto& [rows, classes] = shape_of<LossShape>(key);
  const std::int64_t count = rows * classes;
  const auto o = std::make_shared<Operands>(
      Operands{random_buffer(count, 1, -3, 3), random_buffer(count, 2, 0, 1), Buffer(count)});
  const auto run = [=] {
    (backward ? sigmoid_loss_gradient : sigmoid_loss)(o->logits.data(), o->labels.data(), count, o->result.data(),
                                                      threads);
  };
  return with_work(key, run, [=] {
    run();
    ErrorMeter meter;
    for (std::int64_t i = 0; i < count; ++i) {
      const double logit = double(o->logits[i]), label = double(o->labels[i]), p = 1 / (1 + std::exp(-logit));
      const double loss = -label * std::log(p) - (1 - label) * std::log(1 - p);
      meter.compare(double(o->result[i]), backward ? (p - label) / double(count) : loss);
    }
    return meter.largest();
  });
}

}  // namespace mlsim::kernels
