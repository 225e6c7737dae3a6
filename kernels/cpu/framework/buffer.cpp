#include "kernels/cpu/framework/buffer.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace mlsim::kernels {
namespace {

constexpr std::int64_t kCacheLine = 64;      // bytes, and those of an AVX-512 register
constexpr std::int64_t kHugePage = 2 << 20;  // on x86-64, and on Arm with pages of 4 KiB

// Large tensors lie on huge pages where the system has them to give: else a step's time is that of page walks, which a
// kernel alone, whose page tables stay in the cache, does not have.
void want_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace

Buffer::Buffer(std::int64_t elements) : size_(elements) {
  const std::int64_t bytes = std::max<std::int64_t>(elements, 1) * std::int64_t(sizeof(float));
  const std::int64_t unit = bytes >= kHugePage ? kHugePage : kCacheLine;
  const auto whole = std::size_t((bytes + unit - 1) / unit * unit);
  data_.reset(static_cast<float*>(std::aligned_alloc(std::size_t(unit), whole)));
  if (!data_) throw std::bad_alloc();
  if (unit == kHugePage) want_huge_pages(data_.get(), whole);
  std::memset(data_.get(), 0, whole);
}

std::uint64_t RandomNumbers::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

float RandomNumbers::uniform(float low, float high) {
  return low + (high - low) * (float(next() >> 40) * 0x1p-24f);  // 24 bits fill a float
}

Buffer random_buffer(std::int64_t elements, std::uint64_t seed, float low, float high) {
  Buffer buffer(elements);
  RandomNumbers numbers(seed);
  for (float& each : buffer) each = numbers.uniform(low, high);
  return buffer;
}

Buffer copy_of(const Buffer& buffer) {
  Buffer copy(buffer.size());
  std::copy_n(buffer.data(), buffer.size(), copy.data());
  return copy;
}

}  // namespace mlsim::kernels
