#include "kernels/cuda/cudnn/pool.hpp"

#include "core/text/errors.hpp"
#include "kernels/cuda/cudnn/cudnn_library.hpp"
#include "kernels/cuda/cudnn/image_windows.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {
namespace {

enum ArrayNumber { kInput, kOutput, kInputGradient, kOutputGradient };

bool is_average(KernelOp op) { return op == KernelOp::average_pool_forward || op == KernelOp::average_pool_backward; }
bool is_backward(KernelOp op) { return op == KernelOp::max_pool_backward || op == KernelOp::average_pool_backward; }

std::vector<Array> arrays_of(const ImageWindows& s, Precision precision, bool backward) {
  const Format format = storage_format(precision);
  const Array input{format, s.input_elements(), -1, 1, false, {}},
      output{format, s.output_elements(), -1, 1, false, {}};
  if (!backward) return {input, output};
  return {input, output, input, output};
}

// Forward reads the input and writes the output; backward reads both, reads the output's gradient and writes the
// input's.
Bytes bytes_of(const ImageWindows& s, Precision precision, bool backward) {
  return element_size(precision) * ((backward ? 2.0 : 1.0) * double(s.input_elements() + s.output_elements()));
}

class TimedPool : public TimedLaunch {
 public:
  explicit TimedPool(const KernelKey& key)
      : TimedLaunch(bytes_of(pool_of(key), key.precision, is_backward(key.op)), Flop(0)),
        shape_(pool_of(key)),
        average_(is_average(key.op)),
        backward_(is_backward(key.op)),
        specs_(arrays_of(shape_, key.precision, backward_)),
        arrays_(specs_) {
    const Format format = storage_format(key.precision);
    const auto whole = [](std::int64_t value) { return static_cast<int>(value); };
    describe_images(input_, format, shape_.batch, shape_.channels, shape_.height, shape_.width);
    describe_images(output_, format, shape_.batch, shape_.channels, shape_.out_h(), shape_.out_w());
    check(cudnnSetPooling2dDescriptor(
              pool_.get(), average_ ? CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING : CUDNN_POOLING_MAX,
              CUDNN_NOT_PROPAGATE_NAN, whole(shape_.kernel_h), whole(shape_.kernel_w), whole(shape_.padding_h()),
              whole(shape_.padding_w()), whole(shape_.stride_h), whole(shape_.stride_w)),
          "describing a pool");
    forward(Device::get().stream());  // the backward pass reads what the forward pass wrote
  }

  void launch(cudaStream_t stream) override {
    if (!backward_) return forward(stream);
    const float one = 1, none = 0;
    check(cudnnPoolingBackward(cudnn(stream), pool_.get(), &one, output_.get(), pointer(kOutput), output_.get(),
                               pointer(kOutputGradient), input_.get(), pointer(kInput), &none, input_.get(),
                               pointer(kInputGradient)),
          "running a pool's gradient");
  }

  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    const ArrayNumber result = backward_ ? kInputGradient : kOutput;
    const Array& spec = specs_[result];
    const double window = double(shape_.kernel_h * shape_.kernel_w);
    const auto indices = spread_indices(spec.elements, checked_count(window * (backward_ ? window : 1)));
    const auto value = [this](ArrayNumber number) {
      return [this, number](std::int64_t i) { return input_value(specs_[number], number, i); };
    };
    std::vector<double> want;
    for (const std::int64_t i : indices) {
      want.push_back(backward_ ? pool_gradient_element(shape_, average_, i, value(kInput), value(kOutputGradient))
                               : pool_element(shape_, average_, i, value(kInput)));
    }
    return largest_difference(elements_at(pointer(result), spec, indices, stream), want);
  }

 private:
  void* pointer(ArrayNumber number) const { return arrays_.pointers().at[number]; }

  void forward(cudaStream_t stream) {
    const float one = 1, none = 0;
    check(cudnnPoolingForward(cudnn(stream), pool_.get(), &one, input_.get(), pointer(kInput), &none, output_.get(),
                              pointer(kOutput)),
          "running a pool");
  }

  ImageWindows shape_;
  bool average_, backward_;
  std::vector<Array> specs_;
  DeviceArrays arrays_;
  TensorDescriptor input_, output_;
  PoolingDescriptor pool_;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_pool(const KernelKey& key) { return std::make_unique<TimedPool>(key); }

}  // namespace mlsim::kernels::cuda
