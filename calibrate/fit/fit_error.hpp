// A `FitError` says how far a fit lies from the data it is compared with.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// Returns |predicted / measured - 1|.
double relative_error(Seconds predicted, Seconds measured);

/// Returns the median and P90 of absolute relative errors in any order; all 0 of none.
FitError fit_error(std::vector<double> errors);

}  // namespace mlsim::calibrate
