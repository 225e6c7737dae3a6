// FLOP and bytes of a kernel by its key alone, as the lowering counts them (workloads/model/layer_work.hpp).
#pragma once

#include "core/kernel_key.hpp"
#include "core/units.hpp"

namespace mlsim::kernels {

struct KeyWork {
  Flop flop;
  Bytes bytes;
};

/// A key does not say whether a bias is added: its bytes are without. lstm_* and roi_align_* count nothing.
KeyWork key_work(const KernelKey& key);

}  // namespace mlsim::kernels
