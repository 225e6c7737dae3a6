// A CpuOperation is a processor's kernel: operands in place, a way to run, a way to check, a count of work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "kernels/timed.hpp"

namespace mlsim::kernels {

/// Both functions share their operands. `run` may run again and again; `largest_error` runs it on random numbers and
/// compares as Timed::largest_error says.
struct CpuOperation {
  std::function<void()> run;
  std::function<double()> largest_error;
  Bytes bytes;
  Flop flop;
  /// Writes again what the kernel before it in a step has just written; may be empty.
  std::function<void()> arrival{};
  /// The same as `run`, on the next of many batches (BatchCycle); empty where no batch is among the operands.
  std::function<void()> run_fresh{};
  std::optional<std::string> implementation{};  // as Timed::implementation
};

/// Runs `operation` on `threads`, at least 1: before a cold sample their caches are flushed, and then
/// hold what of `arrival` they have room for, as in a step.
std::unique_ptr<Timed> timed_operation(CpuOperation operation, int threads);

/// Returns the bytes of so many fp32 elements.
inline Bytes fp32_bytes(double elements) { return Bytes(4 * elements); }

/// Collects the differences between results and their references.
class ErrorMeter {
 public:
  void compare(double result, double reference);
  /// Returns the largest difference over the largest reference, over 1 where all references are 0; NaN where a result
  /// is.
  double largest() const;

 private:
  double difference_ = 0, reference_ = 0;
};

/// Chooses results 0 to `count` - 1, or, where their references of `terms` terms each would take a second and more,
/// some of them that are spread over all.
void for_checked(std::int64_t count, std::int64_t terms, const std::function<void(std::int64_t)>& check);

}  // namespace mlsim::kernels
