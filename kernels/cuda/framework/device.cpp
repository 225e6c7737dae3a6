#include "kernels/cuda/framework/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "kernels/cuda/framework/driver_sentence.hpp"

namespace mlsim::kernels::cuda {
namespace {

cudaDeviceProp properties_of(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "reading the GPU's properties");
  return properties;
}

std::size_t flushed_bytes() {
  int cache = 0;
  check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, 0), "reading the L2 cache's size");
  return 2 * static_cast<std::size_t>(std::max(cache, 1 << 20));
}

}  // namespace

void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // clears it, where it can be cleared
  const std::string text = cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) throw Unavailable(fmt::format("out of GPU memory while {}", doing));
  if (error == cudaErrorNoKernelImageForDevice) {
    throw Unavailable("this program was not built for this GPU; set CMAKE_CUDA_ARCHITECTURES to its architecture");
  }
  // An error that broke the context is reported by every later call, too.
  if (cudaDeviceSynchronize() == cudaSuccess) throw Unavailable(fmt::format("{}: {}", doing, text));
  throw DeviceLost(fmt::format("the GPU failed while {}: {}", doing, text));
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
  const cudaError_t error = cudaMalloc(&pointer_, std::max<std::size_t>(1, bytes));
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "asking for free memory");
    throw Unavailable(fmt::format("needs {} of GPU memory and {} are free", to_text(Bytes(double(bytes))),
                                  to_text(Bytes(double(free)))));
  }
  check(error, "allocating memory");
}

DeviceMemory::~DeviceMemory() { cudaFree(pointer_); }

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept : pointer_(other.pointer_), bytes_(other.bytes_) {
  other.pointer_ = nullptr;
}

PinnedMemory::PinnedMemory(std::size_t bytes) {
  if (cudaMallocHost(&pointer_, bytes) == cudaSuccess) return;
  cudaGetLastError();
  throw Unavailable(fmt::format("needs {} of pinned host memory", to_text(Bytes(double(bytes)))));
}

PinnedMemory::~PinnedMemory() { cudaFreeHost(pointer_); }

Event::Event() { check(cudaEventCreate(&event_), "making an event"); }
Event::~Event() { cudaEventDestroy(event_); }

Queue::Queue() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
Queue::~Queue() { cudaStreamDestroy(stream_); }

Device::Device() : properties_(properties_of(0)), flushed_(flushed_bytes()), released_(sizeof(unsigned)) { release(); }

Device& Device::get() {
  static Device* const device = [] {
    require_device();
    return new Device();  // never freed: the runtime may be gone when the program's statics end
  }();
  return *device;
}

void Device::flush_cache() const {
  check(cudaMemsetAsync(flushed_.get(), 0, flushed_.bytes(), stream()), "emptying the cache");
}

void require_device() {
  int driver = 0, runtime = 0, devices = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  DeviceCount answer = DeviceCount::ok;
  std::string text;
  if (driver > 0) {
    const cudaError_t error = cudaGetDeviceCount(&devices);
    text = cudaGetErrorString(error);
    if (error == cudaErrorNoDevice)
      answer = DeviceCount::no_device;
    else if (error == cudaErrorInsufficientDriver)
      answer = DeviceCount::driver_too_old;
    else if (error != cudaSuccess)
      answer = DeviceCount::other;
  }
  const std::string wrong = driver_sentence(driver, runtime, answer, devices, text);
  if (!wrong.empty()) throw Unavailable(wrong);
}

Seconds TimedLaunch::sample(Cache cache) {
  Device& device = Device::get();
  if (cache == Cache::cold) device.flush_cache();
  device.hold();
  check(cudaEventRecord(begin_.get(), device.stream()), "recording an event");
  launch(device.stream());
  check(cudaEventRecord(end_.get(), device.stream()), "recording an event");
  device.release();
  check(cudaEventSynchronize(end_.get()), "running a kernel");
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, begin_.get(), end_.get()), "reading an event");
  return milliseconds(elapsed);
}

}  // namespace mlsim::kernels::cuda
