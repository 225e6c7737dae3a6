#include "calibrate/fit/fit_error.hpp"

#include <algorithm>
#include <cmath>

#include "core/quantile.hpp"

namespace mlsim::calibrate {

double relative_error(Seconds predicted, Seconds measured) { return std::abs(predicted / measured - 1); }

FitError fit_error(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  return {quantile(errors, 0.5), quantile(errors, 0.9), static_cast<int>(errors.size())};
}

}  // namespace mlsim::calibrate
