#include <utility>

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/framework/reference.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/convolution.hpp"
#include "kernels/cpu/library/pooling.hpp"

namespace mlsim::kernels {
namespace {

ConvolutionPass pass_of(KernelOp op) {
  if (op == KernelOp::conv_forward) return ConvolutionPass::forward;
  return op == KernelOp::conv_input_gradient ? ConvolutionPass::input_gradient : ConvolutionPass::weight_gradient;
}

struct PlainBuffers {
  Buffer input, weights, output;
};

// A `ConvolutionState` is a convolution in its layouts, on random numbers.
struct ConvolutionState {
  ConvolutionState(const KernelKey& key, int threads)
      : shape(window_shape(shape_of<ConvolutionShape>(key))),
        pass(pass_of(key.op)),
        convolution(shape, pass, kPreferredLayout, threads),
        input(convolution.elements(ConvolutionOperand::input)),
        weights(convolution.elements(ConvolutionOperand::weights)),
        output(convolution.elements(ConvolutionOperand::output)) {
    fill();
  }

  PlainBuffers fill() {
    PlainBuffers plain{random_buffer(shape.input_elements(), 1), random_buffer(shape.weight_elements(), 2),
                       random_buffer(shape.output_elements(), 3)};
    convolution.from_plain(ConvolutionOperand::input, plain.input.data(), input.data());
    convolution.from_plain(ConvolutionOperand::weights, plain.weights.data(), weights.data());
    convolution.from_plain(ConvolutionOperand::output, plain.output.data(), output.data());
    return plain;
  }

  void run() { convolution.run(input.data(), weights.data(), output.data()); }
  void run_fresh() { convolution.run(batches.next(input), weights.data(), output.data()); }

  // The kernel before has just made this.
  Buffer& arriving() { return pass == ConvolutionPass::forward ? input : output; }

  double largest_error() {
    PlainBuffers plain = fill();
    run();
    const PlainOperands operands{plain.input.data(), plain.weights.data(), plain.output.data()};
    const std::int64_t taps = shape.window.kernel_h * shape.window.kernel_w;
    const auto compare = [](Buffer result, std::int64_t terms, const std::function<double(std::int64_t)>& reference) {
      ErrorMeter meter;
      for_checked(result.size(), terms, [&](std::int64_t i) { meter.compare(double(result[i]), reference(i)); });
      return meter.largest();
    };
    if (pass == ConvolutionPass::forward) {
      return compare(result_of(ConvolutionOperand::output, output, shape.output_elements()), taps * shape.c_in,
                     [&](std::int64_t i) { return convolution_output(shape, operands, i); });
    }
    if (pass == ConvolutionPass::input_gradient) {
      return compare(result_of(ConvolutionOperand::input, input, shape.input_elements()), taps * shape.c_out,
                     [&](std::int64_t i) { return convolution_input_gradient(shape, operands, i); });
    }
    return compare(result_of(ConvolutionOperand::weights, weights, shape.weight_elements()),
                   shape.output_elements() / shape.c_out,
                   [&](std::int64_t i) { return convolution_weight_gradient(shape, operands, i); });
  }

  Buffer result_of(ConvolutionOperand operand, const Buffer& data, std::int64_t elements) const {
    Buffer result(elements);
    convolution.to_plain(operand, data.data(), result.data());
    return result;
  }

  WindowShape shape;
  ConvolutionPass pass;
  Convolution convolution;
  Buffer input, weights, output;
  BatchCycle batches;  // batches of the input
};

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

CpuOperation convolution_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<ConvolutionState>(key, threads);
  CpuOperation operation = operation_on(state, costs::kernel_work(key), threads);
  operation.implementation = state->convolution.implementation();
  if (key.op == KernelOp::conv_forward) operation.run_fresh = [state] { state->run_fresh(); };
  return with_elements_beside(std::move(operation), merged_elements(key.shape), threads);
}

CpuOperation pool_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<PoolState>(key, threads);
  CpuOperation operation = operation_on(state, costs::kernel_work(key), threads);
  operation.implementation =
      state->backward ? state->pool.backward_implementation() : state->pool.forward_implementation();
  return with_elements_beside(std::move(operation), merged_elements(key.shape), threads);
}

}  // namespace mlsim::kernels
