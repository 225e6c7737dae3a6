#include <cuda_runtime.h>

#include <atomic>

#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {
namespace {

// A host that has not released the stream by then waits for the stream itself: its queue is full, or a library loads
// what it runs for the first time.
constexpr unsigned long long kLongestHoldNanoseconds = 20'000'000;

__global__ void hold_kernel(const volatile unsigned* released, unsigned turn) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (*released != turn && now - begin < kLongestHoldNanoseconds);
}

}  // namespace

void Device::hold() {
  hold_kernel<<<1, 1, 0, stream()>>>(static_cast<const unsigned*>(released_.get()), ++turn_);
  check(cudaGetLastError(), "starting a kernel");
}

void Device::release() {
  std::atomic_ref(*static_cast<unsigned*>(released_.get())).store(turn_, std::memory_order_release);
}

}  // namespace mlsim::kernels::cuda
