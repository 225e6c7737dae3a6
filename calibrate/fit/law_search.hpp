// fitted_law() finds the law of kernels nearest to measured ones: its constants by search, its shape by a criterion.
#pragma once

#include <vector>

#include "calibrate/fit/kernel_law_fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/kernel_law.hpp"

namespace mlsim::calibrate {

/// Finds constants for samples whose law has its exponent, tiles and units: soft-L1 loss of the log of time, scale 0.1,
/// within the ceilings. Constants that the samples do not settle (a compute rate of kernels without FLOP) lie at their
/// ceilings. `times[i]` is of `samples[i]`.
KernelLaw::Constants fitted_constants(const KernelLaw& law, const std::vector<KernelLawSample>& samples,
                                      const std::vector<Seconds>& times, const Ceilings& ceilings);

/// Gives `law` the exponent, tiles, units and constants of the least n ln(loss / n) + ln n for every part of the shape
/// that is not the plainest: tiles of 1 to 256 and the ceilings' units where a sample is a matrix product, exponents
/// from 1 (the sum) to 8 (nearly the larger). That takes up to 588 searches of three constants.
KernelLaw fitted_law(const KernelLaw& law, const std::vector<KernelLawSample>& samples, const Ceilings& ceilings);

}  // namespace mlsim::calibrate
