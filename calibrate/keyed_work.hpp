// What a kernel has to do, from its key alone: for kernels that no step graph of this run names.
#pragma once

#include "calibrate/namespace.hpp"
#include "core/kernel_key.hpp"

namespace mlsim::calibrate {

/// As workloads/model/layer_work.hpp counts it, but for what a key does not say: biases, the padding of a convolution
/// and a fraction of a batch. kernels/key_work.hpp counts the same without workloads/, for the kernels themselves, and
/// has no matrix products. Bytes may lie a few per cent off, FLOP and products on the padding.
KernelWork keyed_work(const KernelKey& key);

}  // namespace mlsim::calibrate
