#include "kernels/cpu/cpu_kernel.hpp"

#include <fmt/format.h>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "kernels/cache_size.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/kernel_operations.hpp"
#include "kernels/cpu/library/channel_block.hpp"
#include "kernels/cpu/library/matrix_product.hpp"
#include "kernels/cpu/library/onednn.hpp"

namespace mlsim::kernels {
namespace {

void check(const KernelKey& key) {
  if (key.precision != Precision::fp32)
    throw Unavailable("processors are measured in fp32; \"" + to_text(key) + "\" is in another precision");
  if (const auto missing = missing_extent(key.shape)) {
    throw InputError("kernel", fmt::format("\"{}\" has a dimension that is too small: its {}", to_text(key), *missing));
  }
}

CpuOperation operation(const KernelKey& key, int threads) {
  switch (key.op) {
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return convolution_operation(key, threads);
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient:
    case KernelOp::matmul: return matrix_operation(key, threads);
    case KernelOp::batch_norm_forward:
    case KernelOp::batch_norm_backward: return batch_norm_operation(key, threads);
    case KernelOp::layer_norm_forward:
    case KernelOp::layer_norm_backward: return layer_norm_operation(key, threads);
    case KernelOp::max_pool_forward:
    case KernelOp::max_pool_backward:
    case KernelOp::average_pool_forward:
    case KernelOp::average_pool_backward: return pool_operation(key, threads);
    case KernelOp::softmax_loss_forward:
    case KernelOp::softmax_loss_backward: return softmax_operation(key, threads);
    case KernelOp::sigmoid_loss_forward:
    case KernelOp::sigmoid_loss_backward: return sigmoid_operation(key, threads);
    case KernelOp::elementwise: return elementwise_operation(key, threads);
    case KernelOp::optimizer: return optimizer_operation(key, threads);
    case KernelOp::gather: return gather_operation(key, threads);
    case KernelOp::scatter_add: return scatter_operation(key, threads);
    case KernelOp::lstm_forward:
    case KernelOp::lstm_backward:
    case KernelOp::roi_align_forward:
    case KernelOp::roi_align_backward:
    case KernelOp::flash_attention_forward:
    case KernelOp::flash_attention_backward: break;
  }
  throw Unavailable("there is no kernel for processors of " + std::string(name(key.op)) +
                    "; its time is taken from the fit of the others");
}

}  // namespace

std::unique_ptr<Timed> cpu_kernel(const KernelKey& key, int threads) {
  check(key);
  const int team = team_size(threads);
  return timed_operation(operation(key, team), team);
}

std::map<std::string, std::string> cpu_versions() {
  return {{"oneDNN", fmt::format("{} (blocks of {} channels)", onednn::version(), channel_block())},
          {"OpenBLAS", blas_version()},
          {"threads", std::to_string(all_threads())},
          {"last_level_cache", to_text(Bytes(double(shared_cache_bytes())))}};
}

}  // namespace mlsim::kernels
