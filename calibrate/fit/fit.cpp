#include "calibrate/fit/fit.hpp"

#include <algorithm>

#include "core/quantile.hpp"

namespace mlsim::calibrate {

double relative_error(Seconds predicted, Seconds measured) { return std::abs(predicted / measured - 1); }

FitError fit_error(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  return {quantile(errors, 0.5), quantile(errors, 0.9), static_cast<int>(errors.size())};
}

double soft_l1(double error) { return 2 * (std::sqrt(1 + error * error / (kLossScale * kLossScale)) - 1); }

}  // namespace mlsim::calibrate
