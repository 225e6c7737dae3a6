#include "kernels/cuda/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/errors.hpp"
#include "kernels/cuda/activation.hpp"
#include "kernels/cuda/cuda_operation.hpp"
#include "kernels/cuda/cudnn_library.hpp"
#include "kernels/cuda/product_shape.hpp"

namespace mlsim::cuda {
namespace {

constexpr std::size_t kLargestWorkspace = std::size_t{1} << 30;  // enough for the transforms of ResNet's layers
constexpr int kAlgorithms = 8;                                   // the library has at most as many

enum ArrayNumber { kInput, kWeight, kOutput, kBias };

std::vector<Array> arrays_of(const WindowShape& s, Precision precision) {
  const Format format = storage_format(precision);
  return {{format, s.input_elements(), -1, 1, false, {}},
          {format, s.weight_elements(), -1, 1, false, {}},
          {format, s.output_elements(), -1, 1, false, {}},
          {format, s.outputs, -1, 1, false, {}}};
}

std::size_t workspace_bytes() {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "asking for free memory");
  return std::min(kLargestWorkspace, free / 2);
}

// What a convolution of any direction needs, described.
class Convolution {
 public:
  Convolution(const WindowShape& windows, Precision precision)
      : shape(windows), specs(arrays_of(shape, precision)), arrays(specs), workspace(workspace_bytes()) {
    const Format format = storage_format(precision);
    const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
    describe_images(input, format, shape.batch, shape.channels, shape.height, shape.width);
    describe_images(output, format, shape.batch, shape.outputs, shape.out_h(), shape.out_w());
    describe_images(bias, format, 1, shape.outputs, 1, 1);
    check(cudnnSetFilter4dDescriptor(weight.get(), cudnn_type(format), CUDNN_TENSOR_NHWC, whole(shape.outputs),
                                     whole(shape.group_channels()), whole(shape.kernel_h), whole(shape.kernel_w)),
          "describing weights");
    check(cudnnSetConvolution2dDescriptor(convolution.get(), whole(shape.padding_h()), whole(shape.padding_w()),
                                          whole(shape.stride_h), whole(shape.stride_w), 1, 1, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          "describing a convolution");
    check(cudnnSetConvolutionGroupCount(convolution.get(), whole(shape.groups)), "describing a convolution");
    const auto math = precision == Precision::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
    check(cudnnSetConvolutionMathType(convolution.get(), math), "describing a convolution");
    check(cudnnSetActivationDescriptor(relu.get(), CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0),
          "describing an activation");
  }

  void* pointer(ArrayNumber number) const { return arrays.pointers().at[number]; }
  ElementAt values(ArrayNumber number) const {
    return [&spec = specs[number], number](std::int64_t i) { return input_value(spec, number, i); };
  }
  WindowShape shape;
  std::vector<Array> specs;
  DeviceArrays arrays;
  DeviceMemory workspace;
  TensorDescriptor input, output, bias;
  FilterDescriptor weight;
  ConvolutionDescriptor convolution;
  ActivationDescriptor relu;
};

// The first that works of what the library measured, fastest first.
template <class Performance>
auto fastest(const std::array<Performance, kAlgorithms>& tried, int found, const WindowShape& s) {
  for (int i = 0; i < found; ++i) {
    const auto& each = tried[static_cast<std::size_t>(i)];
    if (each.status == CUDNN_STATUS_SUCCESS) return each;
  }
  throw Unavailable(fmt::format("cuDNN has no algorithm for {} x {} x {} x {} images and {} outputs", s.batch,
                                s.channels, s.height, s.width, s.outputs));
}

class TimedConvolution : public TimedLaunch {
 public:
  TimedConvolution(const WindowShape& shape, Direction direction, Precision precision)
      : TimedLaunch(convolution_bytes(shape, precision), convolution_flop(shape)),
        c_(shape, precision),
        direction_(direction) {
    choose();
  }

  void launch(cudaStream_t stream) override {
    const float one = 1, none = 0;
    const cudnnHandle_t library = cudnn(stream);
    void *const x = c_.pointer(kInput), *const w = c_.pointer(kWeight), *const y = c_.pointer(kOutput);
    void* const space = c_.workspace.get();
    switch (direction_) {
      case Direction::forward:
        return check(cudnnConvolutionForward(library, &one, c_.input.get(), x, c_.weight.get(), w, c_.convolution.get(),
                                             forward_, space, bytes_, &none, c_.output.get(), y),
                     "running a convolution");
      case Direction::input_gradient:
        return check(cudnnConvolutionBackwardData(library, &one, c_.weight.get(), w, c_.output.get(), y,
                                                  c_.convolution.get(), data_, space, bytes_, &none, c_.input.get(), x),
                     "running a convolution's input gradient");
      case Direction::weight_gradient:
        return check(
            cudnnConvolutionBackwardFilter(library, &one, c_.input.get(), x, c_.output.get(), y, c_.convolution.get(),
                                           filter_, space, bytes_, &none, c_.weight.get(), w),
            "running a convolution's weight gradient");
    }
  }

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

  // The library runs each of its algorithms on the arrays, of which it only writes the result.
  void choose() {
    const cudnnHandle_t library = cudnn(Device::get().stream());
    void *const x = c_.pointer(kInput), *const w = c_.pointer(kWeight), *const y = c_.pointer(kOutput);
    void* const space = c_.workspace.get();
    int found = 0;
    if (direction_ == Direction::forward) {
      std::array<cudnnConvolutionFwdAlgoPerf_t, kAlgorithms> tried;
      check(cudnnFindConvolutionForwardAlgorithmEx(library, c_.input.get(), x, c_.weight.get(), w, c_.convolution.get(),
                                                   c_.output.get(), y, kAlgorithms, &found, tried.data(), space,
                                                   c_.workspace.bytes()),
            "choosing an algorithm");
      keep(fastest(tried, found, c_.shape), forward_);
    } else if (direction_ == Direction::input_gradient) {
      std::array<cudnnConvolutionBwdDataAlgoPerf_t, kAlgorithms> tried;
      check(cudnnFindConvolutionBackwardDataAlgorithmEx(library, c_.weight.get(), w, c_.output.get(), y,
                                                        c_.convolution.get(), c_.input.get(), x, kAlgorithms, &found,
                                                        tried.data(), space, c_.workspace.bytes()),
            "choosing an algorithm");
      keep(fastest(tried, found, c_.shape), data_);
    } else {
      std::array<cudnnConvolutionBwdFilterAlgoPerf_t, kAlgorithms> tried;
      check(cudnnFindConvolutionBackwardFilterAlgorithmEx(library, c_.input.get(), x, c_.output.get(), y,
                                                          c_.convolution.get(), c_.weight.get(), w, kAlgorithms, &found,
                                                          tried.data(), space, c_.workspace.bytes()),
            "choosing an algorithm");
      keep(fastest(tried, found, c_.shape), filter_);
    }
  }

  template <class Performance, class Algorithm>
  void keep(const Performance& best, Algorithm& algorithm) {
    algorithm = best.algo;
    bytes_ = best.memory;
    check(cudnnSetConvolutionMathType(c_.convolution.get(), best.mathType), "choosing an algorithm");
  }

  Convolution c_;
  Direction direction_;
  std::size_t bytes_ = 0;
  cudnnConvolutionFwdAlgo_t forward_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  cudnnConvolutionBwdDataAlgo_t data_ = CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
  cudnnConvolutionBwdFilterAlgo_t filter_ = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0;
};

class TimedConvolutionBiasRelu : public TimedLaunch {
 public:
  TimedConvolutionBiasRelu(const WindowShape& shape, Precision precision, bool fused)
      : TimedLaunch(convolution_bytes(shape, precision), convolution_flop(shape)), c_(shape, precision), fused_(fused) {
    std::array<cudnnConvolutionFwdAlgoPerf_t, kAlgorithms> tried;
    int found = 0;
    check(cudnnFindConvolutionForwardAlgorithmEx(cudnn(Device::get().stream()), c_.input.get(), c_.pointer(kInput),
                                                 c_.weight.get(), c_.pointer(kWeight), c_.convolution.get(),
                                                 c_.output.get(), c_.pointer(kOutput), kAlgorithms, &found,
                                                 tried.data(), c_.workspace.get(), c_.workspace.bytes()),
          "choosing an algorithm");
    best_ = fastest(tried, found, c_.shape);
    check(cudnnSetConvolutionMathType(c_.convolution.get(), best_.mathType), "choosing an algorithm");
  }

  void launch(cudaStream_t stream) override {
    const float one = 1, none = 0;
    const cudnnHandle_t library = cudnn(stream);
    const cudnnTensorDescriptor_t out = c_.output.get();
    void *const x = c_.pointer(kInput), *const w = c_.pointer(kWeight), *const y = c_.pointer(kOutput);
    if (fused_) {
      return check(
          cudnnConvolutionBiasActivationForward(library, &one, c_.input.get(), x, c_.weight.get(), w,
                                                c_.convolution.get(), best_.algo, c_.workspace.get(), best_.memory,
                                                &none, out, y, c_.bias.get(), c_.pointer(kBias), c_.relu.get(), out, y),
          "running a convolution with bias and activation");
    }
    check(cudnnConvolutionForward(library, &one, c_.input.get(), x, c_.weight.get(), w, c_.convolution.get(),
                                  best_.algo, c_.workspace.get(), best_.memory, &none, out, y),
          "running a convolution");
    check(cudnnAddTensor(library, &one, c_.bias.get(), c_.pointer(kBias), &one, out, y), "adding a bias");
    check(cudnnActivationForward(library, c_.relu.get(), &one, out, y, &none, out, y), "running an activation");
  }

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
  cudnnConvolutionFwdAlgoPerf_t best_{};
};

void require_format(Precision precision) {
  if (precision == Precision::fp8) throw Unavailable("cuDNN's plain convolutions have no fp8");
}

}  // namespace

std::unique_ptr<TimedLaunch> timed_convolution(const WindowShape& shape, Direction direction, Precision precision) {
  require_format(precision);
  return std::make_unique<TimedConvolution>(shape, direction, precision);
}

std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const WindowShape& shape, Precision precision, bool fused) {
  require_format(precision);
  return std::make_unique<TimedConvolutionBiasRelu>(shape, precision, fused);
}

}  // namespace mlsim::cuda
