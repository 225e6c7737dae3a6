#include "calibrate/fit/soft_l1.hpp"

#include <cmath>

namespace mlsim::calibrate {

double soft_l1(double error) { return 2 * (std::sqrt(1 + error * error / (kLossScale * kLossScale)) - 1); }

}  // namespace mlsim::calibrate
