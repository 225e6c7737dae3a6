// A `Bench` is what a measuring program brings: it makes ready what an order names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "kernels/timed.hpp"

namespace mlsim::calibrate {

class Bench {
 public:
  virtual ~Bench() = default;

  /// Throws Unavailable where this machine or build cannot run the subject, InputError where nothing has that name.
  virtual std::unique_ptr<Timed> prepare(const MeasureOrder& order) = 0;
  /// Returns the clock of the processor or accelerator now: "2.70 GHz", "1.41 GHz; throttled: power cap"; empty where
  /// it cannot be read.
  virtual std::string clock() = 0;
  /// Returns the hosts of the ranks that measure together, by rank; none where one process measures alone.
  virtual std::vector<std::string> hosts() { return {}; }
};

}  // namespace mlsim::calibrate
