// Reproducible noise for synthetic measurements.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "tests/namespace.hpp"

namespace mlsim::test {

/// Factors exp(sigma z), z nearly normal: the sum of twelve uniform numbers, the same with every standard library.
class Noise {
 public:
  Noise(std::uint64_t seed, double sigma) : random_(seed), sigma_(sigma) {}
  double factor() {
    double z = -6;
    for (int i = 0; i < 12; ++i) z += static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::exp(sigma_ * z);
  }

 private:
  std::mt19937_64 random_;
  double sigma_;
};

}  // namespace mlsim::test
