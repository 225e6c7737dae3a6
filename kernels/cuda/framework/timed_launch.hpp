// A `TimedLaunch` times whatever a class queues on a stream, by events.
#pragma once

#include "kernels/cuda/framework/device.hpp"
#include "kernels/timed.hpp"

namespace mlsim::kernels::cuda {

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
