// sample_statistics() says what is kept of the samples of one measurement.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// Returns median, quartiles, count and outliers of the samples, in any order; all 0 where there is none.
SampleStatistics sample_statistics(std::vector<Seconds> samples);
/// Returns the statistics of samples in ascending order.
SampleStatistics sorted_statistics(const std::vector<double>& ascending);

/// Returns interquartile range over median; 0 where all samples are equal, infinite where only the median is 0.
double noise(const SampleStatistics& time);

}  // namespace mlsim::calibrate
