// A `KernelTally` sums what the kernels of a step took, by operator.
#pragma once

#include <chrono>
#include <map>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

struct KernelTotal {
  int count = 0;
  Seconds time;
};

class KernelTally {
 public:
  /// `timing` says whether kernels are timed one by one, which takes time of its own.
  explicit KernelTally(bool timing = true) : timing_(timing) {}

  /// Runs `kernel` and adds its time.
  template <class Kernel>
  void run(KernelOp op, Kernel&& kernel) {
    if (!timing_) return kernel();
    const auto begin = std::chrono::steady_clock::now();
    kernel();
    add(op, Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  }

  void add(KernelOp op, Seconds time) {
    KernelTotal& sum = by_op_[op];
    ++sum.count;
    sum.time += time;
  }

  const std::map<KernelOp, KernelTotal>& by_op() const { return by_op_; }

 private:
  bool timing_;
  std::map<KernelOp, KernelTotal> by_op_;
};

}  // namespace mlsim::calibrate
