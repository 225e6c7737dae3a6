#include "calibrate/collectives/half_sum.hpp"

namespace mlsim::calibrate {

void add_halves(HalfBits* into, const HalfBits* a, const HalfBits* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] = half_of_float(float_of_half(a[i]) + float_of_half(b[i]));
}

}  // namespace mlsim::calibrate
