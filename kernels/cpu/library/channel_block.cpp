#include "kernels/cpu/library/channel_block.hpp"

#include <omp.h>

#include "core/profile/measurement.hpp"
#include "kernels/cpu/library/convolution.hpp"

namespace mlsim::kernels {
namespace {

// Asks for a layer as image networks have most of: oneDNN chooses by layout and instruction set, hardly by extents. It
// runs on the threads that were asked for last, as primitives made after it shall.
bool convolves_in(std::int64_t block) {
  const WindowShape layer{1, 16, 8, 8, 16, 1, {3, 3, 1, 1, 1, 1}};
  for (const auto pass : {ConvolutionPass::forward, ConvolutionPass::input_gradient, ConvolutionPass::weight_gradient})
    if (is_reference(Convolution(layer, pass, block, omp_get_max_threads()).implementation())) return false;
  return true;
}

}  // namespace

std::int64_t channel_block() {
  static const std::int64_t largest = [] {
    for (const std::int64_t block : {16, 8})
      if (convolves_in(block)) return block;
    return std::int64_t{1};
  }();
  return largest;
}

}  // namespace mlsim::kernels
