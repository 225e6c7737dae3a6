// A BatchCycle gives batches that come one after the other and are in no cache, as a step of training finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cache_size.hpp"
#include "kernels/cpu/framework/buffer.hpp"

namespace mlsim::kernels {

/// The cycle makes as many copies of one batch as twice the last level of cache holds.
class BatchCycle {
 public:
  /// Returns the next copy. The first call makes them; throws std::bad_alloc.
  float* next(const Buffer& batch) {
    const std::int64_t bytes = batch.size() * std::int64_t(sizeof(float));
    if (batches_.empty())
      for (std::int64_t held = 0; held < 2 * shared_cache_bytes(); held += bytes) batches_.push_back(copy_of(batch));
    return batches_[next_++ % batches_.size()].data();
  }

 private:
  std::vector<Buffer> batches_;
  std::size_t next_ = 0;
};

}  // namespace mlsim::kernels
