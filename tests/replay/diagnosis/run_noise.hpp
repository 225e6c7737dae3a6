// Random times for made-up runs, the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/stragglers/rank_delays.hpp"

namespace mlsim::test {

class RunNoise {
 public:
  explicit RunNoise(std::uint64_t seed) : seed_(seed) {}

  double uniform() { return sim::draw(seed_, sim::DrawFor::jitter, 0, next_++); }
  /// From low to high, both among them.
  int whole(int low, int high) { return low + static_cast<int>(uniform() * (high - low + 1)); }
  /// Normal with mean 1, by Box and Muller's formula.
  double factor(double deviation) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return 1 + deviation * radius * std::cos(2 * 3.14159265358979 * uniform());
  }

 private:
  std::uint64_t seed_, next_ = 0;
};

}  // namespace mlsim::test
