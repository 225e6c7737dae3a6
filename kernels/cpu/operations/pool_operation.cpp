#include <utility>

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/pooling.hpp"
#include "kernels/cpu/reference/window_reference.hpp"

namespace mlsim::kernels {
namespace {

struct PoolState {
  PoolState(const KernelKey& key, int threads)
      : shape(window_shape(shape_of<PoolShape>(key))),
        kind(key.op == KernelOp::max_pool_forward || key.op == KernelOp::max_pool_backward ? PoolKind::max
                                                                                           : PoolKind::average),
        backward(key.op == KernelOp::max_pool_backward || key.op == KernelOp::average_pool_backward),
        pool(shape, kind, threads),
        plain_input(random_buffer(shape.input_elements(), 1)),
        plain_gradient(random_buffer(shape.output_elements(), 2)),
        input(pool.input_elements()),
        output(pool.output_elements()),
        input_gradient(pool.input_elements()),
        output_gradient(pool.output_elements()) {
    pool.input_from_plain(plain_input.data(), input.data());
    pool.output_from_plain(plain_gradient.data(), output_gradient.data());
    pool.forward(input.data(), output.data());  // where the largest elements are
  }

  void run() {
    if (backward) {
      pool.backward(output_gradient.data(), input_gradient.data());
    } else {
      pool.forward(input.data(), output.data());
    }
  }

  // The kernel before has just made this.
  Buffer& arriving() { return backward ? output_gradient : input; }

  double largest_error() {
    run();
    ErrorMeter meter;
    const std::int64_t taps = shape.window.kernel_h * shape.window.kernel_w;
    Buffer result(backward ? shape.input_elements() : shape.output_elements());
    if (backward) {
      pool.input_to_plain(input_gradient.data(), result.data());
      for_checked(result.size(), taps * taps, [&](std::int64_t i) {
        meter.compare(double(result[i]),
                      pool_input_gradient(shape, kind, plain_input.data(), plain_gradient.data(), i));
      });
    } else {
      pool.output_to_plain(output.data(), result.data());
      for_checked(result.size(), taps, [&](std::int64_t i) {
        meter.compare(double(result[i]), pool_output(shape, kind, plain_input.data(), i));
      });
    }
    return meter.largest();
  }

  WindowShape shape;
  PoolKind kind;
  bool backward;
  Pool pool;
  Buffer plain_input, plain_gradient, input, output, input_gradient, output_gradient;
};

}  // namespace

CpuOperation pool_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<PoolState>(key, threads);
  CpuOperation operation = operation_on(state, costs::kernel_work(key), threads);
  operation.implementation =
      state->backward ? state->pool.backward_implementation() : state->pool.forward_implementation();
  return with_elements_beside(std::move(operation), merged_elements(key.shape), threads);
}

}  // namespace mlsim::kernels
