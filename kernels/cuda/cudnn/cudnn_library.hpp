// This header has cuDNN's handle and descriptors, freed in the end, and turns its errors into sentences.
#pragma once

#include <cudnn.h>

#include <string>

#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// Says the status and what the library noted of its last failure.
std::string reason(cudnnStatus_t status);

/// Throws Unavailable where the library has no such kernel, DeviceLost where it failed while running.
void check(cudnnStatus_t status, const char* doing);

/// The handle is made on the first call, which throws Unavailable where the library cannot start; it works on the given
/// stream.
cudnnHandle_t cudnn(cudaStream_t stream);

/// An algorithm may take at most this much of the memory that is free.
std::size_t workspace_bytes();

cudnnDataType_t cudnn_type(Format format);

template <class Handle, auto kCreate, auto kDestroy>
class CudnnDescriptor {
 public:
  CudnnDescriptor() { check(kCreate(&handle_), "making a descriptor"); }
  ~CudnnDescriptor() { kDestroy(handle_); }
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using TensorDescriptor =
    CudnnDescriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using FilterDescriptor =
    CudnnDescriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor =
    CudnnDescriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor>;
using PoolingDescriptor =
    CudnnDescriptor<cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor, cudnnDestroyPoolingDescriptor>;
using ActivationDescriptor =
    CudnnDescriptor<cudnnActivationDescriptor_t, cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor>;

/// Describes a tensor of images with their channels together.
void describe_images(const TensorDescriptor& tensor, Format format, std::int64_t batch, std::int64_t channels,
                     std::int64_t height, std::int64_t width);

}  // namespace mlsim::kernels::cuda
