#include "kernels/cuda/cudnn/convolution.hpp"

#include <fmt/format.h>

#include <array>

#include "core/text/errors.hpp"
#include "kernels/cuda/operations/activation.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr int kAlgorithms = 8;  // the library has at most as many

// Returns the first that works of those the library measured, fastest first.
template <class Performance>
auto fastest(const std::array<Performance, kAlgorithms>& tried, int found, const ImageWindows& s) {
  for (int i = 0; i < found; ++i) {
    const auto& each = tried[i];
    if (each.status == CUDNN_STATUS_SUCCESS) return each;
  }
  throw Unavailable(fmt::format("cuDNN has no algorithm for {} x {} x {} x {} images and {} outputs", s.batch,
                                s.channels, s.height, s.width, s.outputs));
}

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

LegacyConvolution::LegacyConvolution(const ImageWindows& shape, Direction direction, Precision precision,
                                     ConvolutionOperands operands)
    : shape_(shape), direction_(direction), operands_(operands), workspace_(workspace_bytes()) {
  if (precision == Precision::fp8) throw Unavailable("cuDNN's plain convolutions have no fp8");
  describe(precision);
  choose();
}

void LegacyConvolution::describe(Precision precision) {
  const Format format = storage_format(precision);
  const ImageWindows& s = shape_;
  const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
  describe_images(input_, format, s.batch, s.channels, s.height, s.width);
  describe_images(output_, format, s.batch, s.outputs, s.out_h(), s.out_w());
  describe_images(bias_, format, 1, s.outputs, 1, 1);
  check(cudnnSetFilter4dDescriptor(weight_.get(), cudnn_type(format), CUDNN_TENSOR_NHWC, whole(s.outputs),
                                   whole(s.group_channels()), whole(s.kernel_h), whole(s.kernel_w)),
        "describing weights");
  check(
      cudnnSetConvolution2dDescriptor(convolution_.get(), whole(s.padding_h()), whole(s.padding_w()), whole(s.stride_h),
                                      whole(s.stride_w), 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
      "describing a convolution");
  check(cudnnSetConvolutionGroupCount(convolution_.get(), whole(s.groups)), "describing a convolution");
  const auto math = precision == Precision::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
  check(cudnnSetConvolutionMathType(convolution_.get(), math), "describing a convolution");
  check(cudnnSetActivationDescriptor(relu_.get(), CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0),
        "describing an activation");
}

// The library runs each of its algorithms on the arrays, of which it only writes the result.
void LegacyConvolution::choose() {
  const cudnnHandle_t library = cudnn(Device::get().stream());
  void *const x = operands_.input, *const w = operands_.weight, *const y = operands_.output;
  void* const space = workspace_.get();
  int found = 0;
  if (direction_ == Direction::forward) {
    std::array<cudnnConvolutionFwdAlgoPerf_t, kAlgorithms> tried;
    check(cudnnFindConvolutionForwardAlgorithmEx(library, input_.get(), x, weight_.get(), w, convolution_.get(),
                                                 output_.get(), y, kAlgorithms, &found, tried.data(), space,
                                                 workspace_.bytes()),
          "choosing an algorithm");
    keep(fastest(tried, found, shape_), forward_);
  } else if (direction_ == Direction::input_gradient) {
    std::array<cudnnConvolutionBwdDataAlgoPerf_t, kAlgorithms> tried;
    check(cudnnFindConvolutionBackwardDataAlgorithmEx(library, weight_.get(), w, output_.get(), y, convolution_.get(),
                                                      input_.get(), x, kAlgorithms, &found, tried.data(), space,
                                                      workspace_.bytes()),
          "choosing an algorithm");
    keep(fastest(tried, found, shape_), data_);
  } else {
    std::array<cudnnConvolutionBwdFilterAlgoPerf_t, kAlgorithms> tried;
    check(cudnnFindConvolutionBackwardFilterAlgorithmEx(library, input_.get(), x, output_.get(), y, convolution_.get(),
                                                        weight_.get(), w, kAlgorithms, &found, tried.data(), space,
                                                        workspace_.bytes()),
          "choosing an algorithm");
    keep(fastest(tried, found, shape_), filter_);
  }
}

template <class Performance, class Algorithm>
void LegacyConvolution::keep(const Performance& best, Algorithm& algorithm) {
  algorithm = best.algo;
  bytes_ = best.memory;
  check(cudnnSetConvolutionMathType(convolution_.get(), best.mathType), "choosing an algorithm");
}

void LegacyConvolution::run(cudaStream_t stream) const {
  const float one = 1, none = 0;
  const cudnnHandle_t library = cudnn(stream);
  void *const x = operands_.input, *const w = operands_.weight, *const y = operands_.output;
  void* const space = workspace_.get();
  switch (direction_) {
    case Direction::forward:
      return check(cudnnConvolutionForward(library, &one, input_.get(), x, weight_.get(), w, convolution_.get(),
                                           forward_, space, bytes_, &none, output_.get(), y),
                   "running a convolution");
    case Direction::input_gradient:
      return check(cudnnConvolutionBackwardData(library, &one, weight_.get(), w, output_.get(), y, convolution_.get(),
                                                data_, space, bytes_, &none, input_.get(), x),
                   "running a convolution's input gradient");
    case Direction::weight_gradient:
      return check(cudnnConvolutionBackwardFilter(library, &one, input_.get(), x, output_.get(), y, convolution_.get(),
                                                  filter_, space, bytes_, &none, weight_.get(), w),
                   "running a convolution's weight gradient");
  }
}

void LegacyConvolution::run_bias_relu(cudaStream_t stream, const void* bias, bool fused) const {
  const float one = 1, none = 0;
  const cudnnHandle_t library = cudnn(stream);
  const cudnnTensorDescriptor_t out = output_.get();
  void* const y = operands_.output;
  if (fused) {
    return check(cudnnConvolutionBiasActivationForward(library, &one, input_.get(), operands_.input, weight_.get(),
                                                       operands_.weight, convolution_.get(), forward_, workspace_.get(),
                                                       bytes_, &none, out, y, bias_.get(), bias, relu_.get(), out, y),
                 "running a convolution with bias and activation");
  }
  run(stream);
  check(cudnnAddTensor(library, &one, bias_.get(), bias, &one, out, y), "adding a bias");
  check(cudnnActivationForward(library, relu_.get(), &one, out, y, &none, out, y), "running an activation");
}

std::unique_ptr<TimedLaunch> timed_convolution(const ImageWindows& shape, Direction direction, Precision precision) {
  return std::make_unique<TimedConvolution>(shape, direction, precision);
}

std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const ImageWindows& shape, Precision precision, bool fused) {
  return std::make_unique<TimedConvolutionBiasRelu>(shape, precision, fused);
}

}  // namespace mlsim::kernels::cuda
