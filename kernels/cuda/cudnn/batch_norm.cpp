#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"
#include "kernels/cuda/cudnn/cudnn_library.hpp"
#include "kernels/cuda/cudnn/pool.hpp"
#include "kernels/cuda/framework/launch_geometry.hpp"
#include "kernels/cuda/operations/activation.hpp"
#include "kernels/cuda/operations/cuda_operation.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr double kVariance = 1e-5;  // added to it; the frameworks' default

enum ArrayNumber {
  kX,
  kY,
  kScale,
  kShift,
  kMean,
  kInverse,
  kGradient,
  kInputGradient,
  kScaleGradient,
  kShiftGradient,
  kResidual,
  kResidualGradient
};

std::vector<Array> arrays_of(const KernelKey& key) {
  const auto& [rows, channels, merged] = shape_of<RowsShape>(key);
  const std::int64_t n = rows * channels;
  const Format format = storage_format(key.precision);
  const Array tensor{format, n, -1, 1, false, {}}, vector{Format::fp32, channels, 0.5f, 1, false, {}};
  std::vector<Array> arrays{tensor, tensor, vector, vector, vector, vector, tensor, tensor, vector, vector};
  arrays.push_back(tensor);
  arrays.push_back(tensor);
  return arrays;
}

bool is_backward(const KernelKey& key) { return key.op == KernelOp::batch_norm_backward; }

// Forward reads the tensor for its moments and again to write it (a tensor in L2 is read once); backward reads tensor
// and gradient for two sums and again to write the result.
Bytes bytes_of(const KernelKey& key) {
  const auto& [rows, channels, merged] = shape_of<RowsShape>(key);
  return element_size(key.precision) * ((is_backward(key) ? 3.0 : 2.0) * double(rows) * double(channels));
}

class TimedBatchNorm : public TimedLaunch {
 public:
  explicit TimedBatchNorm(const KernelKey& key)
      : TimedLaunch(bytes_of(key), Flop(0)),
        rows_(shape_of<RowsShape>(key).rows),
        channels_(shape_of<RowsShape>(key).channels),
        backward_(is_backward(key)),
        specs_(arrays_of(key)),
        arrays_(specs_) {
    // The library fuses in its persistent kernels alone, which are of 16 bits and four channels at once.
    const bool fusible = storage_format(key.precision) == Format::fp16 && channels_ % 4 == 0;
    if (fusible && merged_elements(key.shape) >= rows_ * channels_) ops_ = CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION;
    const BatchSplit split = batch_split(rows_);
    describe_images(tensor_, storage_format(key.precision), split.images, channels_, split.positions, 1);
    check(cudnnDeriveBNTensorDescriptor(vector_.get(), tensor_.get(), kMode), "describing a normalisation");
    check(cudnnSetActivationDescriptor(relu_.get(), CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0),
          "describing an activation");
    reserve();
    forward(Device::get().stream());  // the backward pass reads its moments
  }

  void launch(cudaStream_t stream) override { backward_ ? backward(stream) : forward(stream); }

  // The moments of the channels that are compared come from all rows, in two plain passes.
  double largest_error() override {
    const cudaStream_t stream = Device::get().stream();
    launch(stream);
    std::vector<std::int64_t> indices;
    std::vector<double> want;
    for (const std::int64_t channel : spread_indices(channels_, checked_count(8.0 * double(rows_)) / 4)) {
      add_channel(channel, indices, want);
    }
    const ArrayNumber result = backward_ ? kInputGradient : kY;
    return largest_difference(elements_at(pointer(result), specs_[result], indices, stream), want);
  }

 private:
  static constexpr auto kMode = CUDNN_BATCHNORM_SPATIAL_PERSISTENT;
  static constexpr std::int64_t kRowsCompared = 16;

  void* pointer(ArrayNumber number) const { return arrays_.pointers().at[number]; }
  double value(ArrayNumber number, std::int64_t i) const { return input_value(specs_[number], number, i); }
  bool fuses() const { return ops_ != CUDNN_BATCHNORM_OPS_BN; }

  void add_channel(std::int64_t c, std::vector<std::int64_t>& indices, std::vector<double>& want) const {
    const auto x = [&](std::int64_t row) { return value(kX, row * channels_ + c); };
    double mean = 0, square = 0, first = 0, second = 0;
    for (std::int64_t row = 0; row < rows_; ++row) mean += x(row) / double(rows_);
    for (std::int64_t row = 0; row < rows_; ++row) square += std::pow(x(row) - mean, 2) / double(rows_);
    const double inverse = 1 / std::sqrt(square + kVariance), scale = value(kScale, c), shift = value(kShift, c);
    const auto h = [&](std::int64_t row) { return (x(row) - mean) * inverse; };
    const auto y = [&](std::int64_t row) {
      const double plain = h(row) * scale + shift;
      return fuses() ? relu(plain + value(kResidual, row * channels_ + c)) : plain;
    };
    const auto gradient = [&](std::int64_t row) {
      return fuses() && y(row) <= 0 ? 0 : value(kGradient, row * channels_ + c);
    };
    for (std::int64_t row = 0; row < rows_ && backward_; ++row) {
      first += gradient(row), second += gradient(row) * h(row);
    }
    for (const std::int64_t row : spread_indices(rows_, kRowsCompared)) {
      indices.push_back(row * channels_ + c);
      const double share = (first + h(row) * second) / double(rows_);
      want.push_back(backward_ ? scale * inverse * (gradient(row) - share) : y(row));
    }
  }

  void reserve() {
    const cudnnHandle_t library = cudnn(Device::get().stream());
    const cudnnTensorDescriptor_t t = tensor_.get(), z = fuses() ? t : nullptr;
    const cudnnActivationDescriptor_t activation = fuses() ? relu_.get() : nullptr;
    std::size_t forward_bytes = 0, backward_bytes = 0, kept = 0;
    check(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(library, kMode, ops_, t, z, t, vector_.get(),
                                                                   activation, &forward_bytes),
          "asking for a normalisation's workspace");
    check(cudnnGetBatchNormalizationBackwardExWorkspaceSize(library, kMode, ops_, t, fuses() ? t : nullptr, t, z, t,
                                                            vector_.get(), activation, &backward_bytes),
          "asking for a normalisation's workspace");
    check(cudnnGetBatchNormalizationTrainingExReserveSpaceSize(library, kMode, ops_, activation, t, &kept),
          "asking for a normalisation's workspace");
    workspace_ = std::make_unique<DeviceMemory>(std::max(forward_bytes, backward_bytes));
    kept_ = std::make_unique<DeviceMemory>(kept);
  }

  void forward(cudaStream_t stream) {
    const float one = 1, none = 0;
    const cudnnTensorDescriptor_t t = tensor_.get();
    check(cudnnBatchNormalizationForwardTrainingEx(
              cudnn(stream), kMode, ops_, &one, &none, t, pointer(kX), fuses() ? t : nullptr,
              fuses() ? pointer(kResidual) : nullptr, t, pointer(kY), vector_.get(), pointer(kScale), pointer(kShift),
              1, nullptr, nullptr, kVariance, pointer(kMean), pointer(kInverse), fuses() ? relu_.get() : nullptr,
              workspace_->get(), workspace_->bytes(), kept_->get(), kept_->bytes()),
          "running a batch normalisation");
  }

  void backward(cudaStream_t stream) {
    const float one = 1, none = 0;
    const cudnnTensorDescriptor_t t = tensor_.get(), fused = fuses() ? t : nullptr;
    check(cudnnBatchNormalizationBackwardEx(cudnn(stream), kMode, ops_, &one, &none, &one, &none, t, pointer(kX), fused,
                                            fuses() ? pointer(kY) : nullptr, t, pointer(kGradient), fused,
                                            fuses() ? pointer(kResidualGradient) : nullptr, t, pointer(kInputGradient),
                                            vector_.get(), pointer(kScale), pointer(kShift), pointer(kScaleGradient),
                                            pointer(kShiftGradient), kVariance, pointer(kMean), pointer(kInverse),
                                            fuses() ? relu_.get() : nullptr, workspace_->get(), workspace_->bytes(),
                                            kept_->get(), kept_->bytes()),
          "running a batch normalisation's gradient");
  }

  std::int64_t rows_, channels_;
  bool backward_;
  cudnnBatchNormOps_t ops_ = CUDNN_BATCHNORM_OPS_BN;
  std::vector<Array> specs_;
  DeviceArrays arrays_;
  TensorDescriptor tensor_, vector_;
  ActivationDescriptor relu_;
  std::unique_ptr<DeviceMemory> workspace_, kept_;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_batch_norm(const KernelKey& key) { return std::make_unique<TimedBatchNorm>(key); }

}  // namespace mlsim::kernels::cuda
