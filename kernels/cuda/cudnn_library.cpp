#include "kernels/cuda/cudnn_library.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "kernels/cuda/device.hpp"

namespace mlsim::cuda {

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  const std::string text = fmt::format("cuDNN: {}: {}", doing, cudnnGetErrorString(status));
  // What failed while running leaves an error of the runtime behind, that says whether the context still works.
  if (status == CUDNN_STATUS_EXECUTION_FAILED) check(cudaDeviceSynchronize(), doing);
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

}  // namespace mlsim::cuda
