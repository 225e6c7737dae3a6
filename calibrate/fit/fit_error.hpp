// How far a fit lies from what it is compared with.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// |predicted / measured - 1|.
double relative_error(Seconds predicted, Seconds measured);

/// Median and P90 of absolute relative errors in any order; all 0 of none.
FitError fit_error(std::vector<double> errors);

}  // namespace mlsim::calibrate
