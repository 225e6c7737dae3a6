#include "kernels/cuda/probes/machine_probe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

__global__ void empty_kernel() {}

class HostCopy : public TimedLaunch {
 public:
  HostCopy(CopyDirection direction, std::size_t bytes)
      : TimedLaunch(Bytes(double(bytes)), Flop(0)),
        to_device_(direction == CopyDirection::host_to_device),
        host_(bytes),
        device_(bytes),
        bytes_(bytes) {}

  void launch(cudaStream_t stream) override {
    void *const to = to_device_ ? device_.get() : host_.get(), *const from = to_device_ ? host_.get() : device_.get();
    check(cudaMemcpyAsync(to, from, bytes_, to_device_ ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
          "copying between host and GPU");
  }

  // Bytes go there and back again: a byte that differs is an error of 1.
  double largest_error() override {
    auto* const host = static_cast<unsigned char*>(host_.get());
    const auto pattern = [](std::size_t i) { return static_cast<unsigned char>(i * 131 + (i >> 8)); };
    for (std::size_t i = 0; i < bytes_; ++i) host[i] = pattern(i);
    const cudaStream_t stream = Device::get().stream();
    check(cudaMemcpyAsync(device_.get(), host, bytes_, cudaMemcpyHostToDevice, stream), "copying to the GPU");
    check(cudaStreamSynchronize(stream), "copying to the GPU");
    std::fill(host, host + bytes_, static_cast<unsigned char>(0));
    check(cudaMemcpyAsync(host, device_.get(), bytes_, cudaMemcpyDeviceToHost, stream), "copying from the GPU");
    check(cudaStreamSynchronize(stream), "copying from the GPU");
    for (std::size_t i = 0; i < bytes_; ++i) {
      if (host[i] != pattern(i)) return 1;
    }
    return 0;
  }

 private:
  bool to_device_;
  PinnedMemory host_;
  DeviceMemory device_;
  std::size_t bytes_;
};

constexpr int kKernels = 1000;  // long enough that the first one's start does not count

class Graph {
 public:
  explicit Graph(cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    for (int i = 0; i < kKernels; ++i) empty_kernel<<<1, 1, 0, stream>>>();
    check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
    const cudaError_t error = cudaGraphInstantiateWithFlags(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    check(error, "making a graph");
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream), "starting a graph"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

// The stream is not held: what the host takes is what is measured.
class EmptyKernels : public Timed {
 public:
  explicit EmptyKernels(bool in_graph) {
    if (in_graph) graph_ = std::make_unique<Graph>(Device::get().stream());
  }

  Seconds sample(Cache) override {
    const cudaStream_t stream = Device::get().stream();
    check(cudaEventRecord(begin_.get(), stream), "recording an event");
    if (graph_ != nullptr) {
      graph_->launch(stream);
    } else {
      for (int i = 0; i < kKernels; ++i) empty_kernel<<<1, 1, 0, stream>>>();
      check(cudaGetLastError(), "starting a kernel");
    }
    check(cudaEventRecord(end_.get(), stream), "recording an event");
    check(cudaEventSynchronize(end_.get()), "running empty kernels");
    float elapsed = 0;
    check(cudaEventElapsedTime(&elapsed, begin_.get(), end_.get()), "reading an event");
    return milliseconds(elapsed) / double(kKernels);
  }
  double largest_error() override { return 0; }
  Bytes bytes() const override { return Bytes(0); }
  Flop flop() const override { return Flop(0); }

 private:
  std::unique_ptr<Graph> graph_;
  Event begin_, end_;
};

class Beside : public TimedLaunch {
 public:
  Beside(std::unique_ptr<TimedLaunch> main, std::unique_ptr<TimedLaunch> other)
      : TimedLaunch(main->bytes(), main->flop()), main_(std::move(main)), other_(std::move(other)) {}

  Seconds sample(Cache cache) override {
    if (runs_ == 0) runs_ = runs_needed();
    const Device& device = Device::get();
    if (cache == Cache::cold) device.flush_cache();
    check(cudaEventRecord(ready_.get(), device.stream()), "recording an event");
    check(cudaStreamWaitEvent(beside_.get(), ready_.get(), 0), "ordering streams");
    for (int i = 0; i < runs_; ++i) other_->launch(beside_.get());
    const Seconds time = main_->sample(Cache::hot);
    check(cudaStreamSynchronize(beside_.get()), "running beside a kernel");
    return time;
  }
  void launch(cudaStream_t stream) override { main_->launch(stream); }
  double largest_error() override { return std::max(main_->largest_error(), other_->largest_error()); }

 private:
  // The other runs for twice what the first takes alone, because both slow each other, and once more for the start.
  int runs_needed() {
    main_->sample(Cache::hot), other_->sample(Cache::hot);
    const Seconds one = main_->sample(Cache::hot), two = other_->sample(Cache::hot);
    return 1 + static_cast<int>(std::ceil(2 * (one + microseconds(100)) / two));
  }

  std::unique_ptr<TimedLaunch> main_, other_;
  Queue beside_;
  Event ready_;
  int runs_ = 0;
};

}  // namespace

std::unique_ptr<TimedLaunch> timed_host_copy(CopyDirection direction, std::size_t bytes) {
  return std::make_unique<HostCopy>(direction, bytes);
}

std::unique_ptr<Timed> timed_empty_kernels(bool in_graph) { return std::make_unique<EmptyKernels>(in_graph); }

std::unique_ptr<TimedLaunch> timed_beside(std::unique_ptr<TimedLaunch> main, std::unique_ptr<TimedLaunch> other) {
  return std::make_unique<Beside>(std::move(main), std::move(other));
}

}  // namespace mlsim::kernels::cuda
