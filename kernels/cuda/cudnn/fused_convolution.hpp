// A `FusedConvolution` has more fused to it than a bias and an activation, and says how separate kernels do the same.
#pragma once

#include <string>

#include "kernels/cuda/cudnn/operation_graph.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// The twin runs a convolution of its own, which writes the tensor `convolved`, and behind it our unfused operation
/// `epilogue` on tensors of the graph.
struct FusedConvolution {
  OperationGraph graph;
  Direction direction = Direction::forward;
  int convolved = 0;
  OperationName epilogue;
  std::vector<int> operands;  // the tensors that are the operation's arrays, in its order
};

/// Makes the graph of the probe of a name:
///   conv_norm_relu_add        y = relu(convolution scale + shift + residual), scale and shift a channel: the end of a
///                             residual block whose normalisation is folded (He et al., arXiv:1512.03385)
///   conv_statistics           y = convolution, with the sum and the sum of squares of each channel: what a batch
///                             normalisation needs of it in training
///   conv_input_gradient_relu  the input's gradient behind the ReLU in front: where that ReLU's input is not above 0 it
///                             is 0
/// It throws std::logic_error for other names.
FusedConvolution fused_convolution(const std::string& kind, const ImageWindows& shape, Precision precision);

}  // namespace mlsim::kernels::cuda
