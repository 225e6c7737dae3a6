#include "kernels/cuda/cudnn/convolution.hpp"

#include "kernels/cuda/cudnn/legacy_convolution.hpp"
#include "kernels/cuda/operations/activation.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {
namespace {

enum ArrayNumber { kInput, kWeight, kOutput, kBias };

std::vector<Array> arrays_of(const ImageWindows& s, Precision precision) {
  const Format format = storage_format(precision);
  return {{format, s.input_elements(), -1, 1, false, {}},
          {format, s.weight_elements(), -1, 1, false, {}},
          {format, s.output_elements(), -1, 1, false, {}},
          {format, s.outputs, -1, 1, false, {}}};
}

// A `Convolution` is of any direction, with arrays of its own.
class Convolution {
 public:
  Convolution(const ImageWindows& windows, Direction direction, Precision precision)
      : shape(windows),
        specs(arrays_of(shape, precision)),
        arrays(specs),
        calls(shape, direction, precision, {pointer(kInput), pointer(kWeight), pointer(kOutput)}) {}

  void* pointer(ArrayNumber number) const { return arrays.pointers().at[number]; }
  ElementAt values(ArrayNumber number) const {
    return [&spec = specs[number], number](std::int64_t i) { return input_value(spec, number, i); };
  }
  ImageWindows shape;
  std::vector<Array> specs;
  DeviceArrays arrays;
  LegacyConvolution calls;
};

class TimedConvolution : public TimedLaunch {
 public:
  TimedConvolution(const ImageWindows& shape, Direction direction, Precision precision)
      : TimedLaunch(convolution_bytes(shape, precision), convolution_flop(shape)),
        c_(shape, direction, precision),
        direction_(direction) {}

  void launch(cudaStream_t stream) override { c_.calls.run(stream); }

  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    const ArrayNumber result = result_of(direction_);
    const double depth = flop().value / 2 / double(c_.specs[result].elements);
    const auto indices = spread_indices(c_.specs[result].elements, checked_count(depth));
    const auto got = elements_at(c_.pointer(result), c_.specs[result], indices, stream);
    const ElementAt first = c_.values(direction_ == Direction::input_gradient ? kOutput : kInput);
    const ElementAt second = c_.values(direction_ == Direction::weight_gradient ? kOutput : kWeight);
    std::vector<double> want;
    for (const std::int64_t i : indices) want.push_back(convolution_element(c_.shape, direction_, i, first, second));
    return largest_difference(got, want);
  }

 private:
  static ArrayNumber result_of(Direction direction) {
    if (direction == Direction::forward) return kOutput;
    return direction == Direction::input_gradient ? kInput : kWeight;
  }

  Convolution c_;
  Direction direction_;
};

class TimedConvolutionBiasRelu : public TimedLaunch {
 public:
  TimedConvolutionBiasRelu(const ImageWindows& shape, Precision precision, bool fused)
      : TimedLaunch(convolution_bytes(shape, precision), convolution_flop(shape)),
        c_(shape, Direction::forward, precision),
        fused_(fused) {}

  void launch(cudaStream_t stream) override { c_.calls.run_bias_relu(stream, c_.pointer(kBias), fused_); }

  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    const double depth = flop().value / 2 / double(c_.specs[kOutput].elements);
    const auto indices = spread_indices(c_.specs[kOutput].elements, checked_count(depth));
    const auto got = elements_at(c_.pointer(kOutput), c_.specs[kOutput], indices, stream);
    std::vector<double> want;
    for (const std::int64_t i : indices) {
      const double sum = convolution_element(c_.shape, Direction::forward, i, c_.values(kInput), c_.values(kWeight));
      want.push_back(relu(sum + c_.values(kBias)(i % c_.shape.outputs)));
    }
    return largest_difference(got, want);
  }

 private:
  Convolution c_;
  bool fused_;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_convolution(const ImageWindows& shape, Direction direction, Precision precision) {
  return std::make_unique<TimedConvolution>(shape, direction, precision);
}

std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const ImageWindows& shape, Precision precision, bool fused) {
  return std::make_unique<TimedConvolutionBiasRelu>(shape, precision, fused);
}

}  // namespace mlsim::kernels::cuda
