// timed_convolution() times convolutions by cuDNN.
#pragma once

#include <memory>

#include "kernels/cuda/cudnn/cudnn_library.hpp"
#include "kernels/cuda/cudnn/image_windows.hpp"
#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {

/// The operands lie in device memory; gradients stand in place of the tensors that they belong to.
struct ConvolutionOperands {
  void* input = nullptr;
  void* weight = nullptr;
  void* output = nullptr;
};

/// A `LegacyConvolution` uses the calls that cuDNN has for a convolution alone, on operands that lie elsewhere.
class LegacyConvolution {
 public:
  /// Takes the algorithm that the library measures to be the fastest: it runs each, and writes the result alone. Throws
  /// Unavailable where it has none.
  LegacyConvolution(const ImageWindows& shape, Direction direction, Precision precision, ConvolutionOperands operands);

  void run(cudaStream_t stream) const;
  /// Computes output = relu(convolution + bias), in one call or in three, for a forward convolution.
  void run_bias_relu(cudaStream_t stream, const void* bias, bool fused) const;

 private:
  void describe(Precision precision);
  void choose();
  template <class Performance, class Algorithm>
  void keep(const Performance& best, Algorithm& algorithm);

  ImageWindows shape_;
  Direction direction_;
  ConvolutionOperands operands_;
  DeviceMemory workspace_;
  std::size_t bytes_ = 0;  // the workspace that the algorithm takes
  TensorDescriptor input_, output_, bias_;
  FilterDescriptor weight_;
  ConvolutionDescriptor convolution_;
  ActivationDescriptor relu_;
  cudnnConvolutionFwdAlgo_t forward_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  cudnnConvolutionBwdDataAlgo_t data_ = CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
  cudnnConvolutionBwdFilterAlgo_t filter_ = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0;
};

/// Runs the algorithm that the library measures to be the fastest. Throws Unavailable where it has none.
std::unique_ptr<TimedLaunch> timed_convolution(const ImageWindows& shape, Direction direction, Precision precision);

/// Computes y = relu(convolution + bias), in one call of the library or as convolution, bias and activation.
std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const ImageWindows& shape, Precision precision, bool fused);

}  // namespace mlsim::kernels::cuda
