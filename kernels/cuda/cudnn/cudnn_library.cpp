#include "kernels/cuda/cudnn/cudnn_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text/errors.hpp"
#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {

std::string reason(cudnnStatus_t status) {
  std::array<char, 512> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  return text[0] == '\0' ? cudnnGetErrorString(status)
                         : fmt::format("{}, {}", cudnnGetErrorString(status), text.data());
}

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = fmt::format("cuDNN: {}: {}", doing, reason(status));
  // A failure while running leaves an error of the runtime behind, which says whether the context still works.
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_EXECUTION_FAILED) check(cudaDeviceSynchronize(), doing);
  throw Unavailable(text);
}

cudnnHandle_t cudnn(cudaStream_t stream) {
  static const cudnnHandle_t handle = [] {
    cudnnHandle_t made = nullptr;
    check(cudnnCreate(&made), "starting");
    return made;
  }();
  check(cudnnSetStream(handle, stream), "choosing a stream");
  return handle;
}

std::size_t workspace_bytes() {
  constexpr std::size_t kLargest = std::size_t{1} << 30;  // enough for the transforms of ResNet's layers
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "asking for free memory");
  return std::min(kLargest, free / 2);
}

cudnnDataType_t cudnn_type(Format format) {
  if (format == Format::fp16) return CUDNN_DATA_HALF;
  return format == Format::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

void describe_images(const TensorDescriptor& tensor, Format format, std::int64_t batch, std::int64_t channels,
                     std::int64_t height, std::int64_t width) {
  check(cudnnSetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NHWC, cudnn_type(format), static_cast<int>(batch),
                                   static_cast<int>(channels), static_cast<int>(height), static_cast<int>(width)),
        "describing images");
}

}  // namespace mlsim::kernels::cuda
