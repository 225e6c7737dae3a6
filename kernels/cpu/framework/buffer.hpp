// A Buffer is memory of a kernel's operand, aligned to cache lines and touched before it is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernels/cache_size.hpp"

namespace mlsim::kernels {

/// The vector code takes so many floats side by side; they fill a register of AVX-512, and a cache line.
inline constexpr std::int64_t kLanes = 16;

class Buffer {
 public:
  Buffer() = default;
  /// The buffer holds zeros. Throws std::bad_alloc.
  explicit Buffer(std::int64_t elements);

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  float& operator[](std::int64_t i) { return data_.get()[i]; }
  float operator[](std::int64_t i) const { return data_.get()[i]; }
  float* begin() { return data(); }
  float* end() { return data() + size_; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> data_;
  std::int64_t size_ = 0;
};

/// Equal seeds give equal numbers: a counter goes through the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA
/// 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  float uniform(float low, float high);
  std::int64_t below(std::int64_t bound) { return std::int64_t(next() % std::uint64_t(bound)); }

 private:
  std::uint64_t state_;
};

/// Returns numbers that are uniform in [low, high).
Buffer random_buffer(std::int64_t elements, std::uint64_t seed, float low = -1, float high = 1);
Buffer copy_of(const Buffer& buffer);

/// A BatchCycle gives batches that come one after the other and are in no cache, as a step of training finds them. The
/// cycle makes as many copies of one batch as twice the last level of cache holds.
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
