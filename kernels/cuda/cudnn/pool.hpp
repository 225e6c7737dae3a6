// Pools and batch normalisations are timed by cuDNN.
#pragma once

#include <memory>

#include "core/kernel/kernel_key.hpp"
#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {

/// Makes the launch of a *_pool_* key.
std::unique_ptr<TimedLaunch> timed_pool(const KernelKey& key);

/// Makes the launch of a batch_norm_* key, in training. Where merged layers move at least the tensor beside it (a
/// residual) and the library fuses it (16 bits), addition and ReLU are in its kernel.
std::unique_ptr<TimedLaunch> timed_batch_norm(const KernelKey& key);

}  // namespace mlsim::kernels::cuda
