#include "kernels/cuda/framework/timed_launch.hpp"

namespace mlsim::kernels::cuda {

Seconds TimedLaunch::sample(Cache cache) {
  const Device& device = Device::get();
  if (cache == Cache::cold) device.flush_cache();
  device.hold();
  check(cudaEventRecord(begin_.get(), device.stream()), "recording an event");
  launch(device.stream());
  check(cudaEventRecord(end_.get(), device.stream()), "recording an event");
  check(cudaEventSynchronize(end_.get()), "running a kernel");
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, begin_.get(), end_.get()), "reading an event");
  return milliseconds(elapsed);
}

}  // namespace mlsim::kernels::cuda
