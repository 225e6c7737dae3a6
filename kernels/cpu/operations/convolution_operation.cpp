#include <utility>

#include "kernels/cpu/framework/batch_cycle.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/convolution.hpp"
#include "kernels/cpu/reference/window_reference.hpp"

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

}  // namespace

CpuOperation convolution_operation(const KernelKey& key, int threads) {
  const auto state = std::make_shared<ConvolutionState>(key, threads);
  CpuOperation operation = operation_on(state, costs::kernel_work(key), threads);
  operation.implementation = state->convolution.implementation();
  if (key.op == KernelOp::conv_forward) operation.run_fresh = [state] { state->run_fresh(); };
  return with_elements_beside(std::move(operation), merged_elements(key.shape), threads);
}

}  // namespace mlsim::kernels
