// A `Device` is the GPU that is measured: its stream, the buffer that empties the caches, and errors as sentences.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/cuda/framework/device_lost.hpp"
#include "kernels/timed.hpp"

namespace mlsim::kernels::cuda {

/// Throws Unavailable where memory was short or the call is not supported, DeviceLost where nothing will work any more.
void check(cudaError_t error, const char* doing);

/// Holds device memory, freed in the end. Throws Unavailable where there is not enough.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  void* get() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* pointer_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The device copies directly from this memory of the host.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* get() const { return pointer_; }

 private:
  void* pointer_ = nullptr;
};

class Event {
 public:
  Event();
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class Queue {
 public:
  Queue();
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The device is number 0 of those that CUDA_VISIBLE_DEVICES leaves. It is made on the first call, which throws
/// Unavailable where there is no driver, none that is new enough, or no GPU.
class Device {
 public:
  static Device& get();

  cudaStream_t stream() const { return stream_.get(); }
  const cudaDeviceProp& properties() const { return properties_; }
  /// Returns 89 for compute capability 8.9.
  int architecture() const { return properties_.major * 10 + properties_.minor; }
  int multiprocessors() const { return properties_.multiProcessorCount; }
  /// Writes over twice the L2 cache, on the stream.
  void flush_cache() const;
  /// Keeps the stream busy until release(), while the host queues what is timed, so that starting it does not count:
  /// as nvbench's blocking_kernel does. A library's convolution takes tens of microseconds to start.
  void hold();
  void release();

 private:
  Device();
  cudaDeviceProp properties_;
  Queue stream_;
  DeviceMemory flushed_;
  PinnedMemory released_;  // the turn of the last hold that was released, which the GPU reads
  unsigned turn_ = 0;
};

/// Throws what Device::get() would throw, without keeping a device.
void require_device();

/// A `TimedLaunch` times whatever a class queues on a stream, by events.
class TimedLaunch : public Timed {
 public:
  TimedLaunch(Bytes bytes, Flop flop) : bytes_(bytes), flop_(flop) {}

  /// A sample is what nvbench's measure_cold takes: the cache is emptied or left, the stream held until all is queued,
  /// then one run between two events.
  Seconds sample(Cache cache) override;
  Bytes bytes() const override { return bytes_; }
  Flop flop() const override { return flop_; }

  /// Queues one run.
  virtual void launch(cudaStream_t stream) = 0;

 private:
  Event begin_, end_;
  Bytes bytes_;
  Flop flop_;
};

}  // namespace mlsim::kernels::cuda
