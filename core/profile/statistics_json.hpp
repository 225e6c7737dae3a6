// describe_statistics() lists the keys of measured statistics in JSON. Only core's .cpp files include this header.
#pragma once

#include "core/profile/kernel_law.hpp"
#include "core/profile/measurement.hpp"
#include "core/text/field_rule.hpp"

namespace mlsim {

/// The keys belong to the object that holds the statistics, not to an object of their own.
template <class Io>
void describe_statistics(Io& io, SampleStatistics& time) {
  io.field("median_s", time.median, kPositive);
  io.field("lower_quartile_s", time.lower_quartile, kPositive);
  io.field("upper_quartile_s", time.upper_quartile, kPositive);
  io.field("count", time.count, NumberRange{1});
  io.field("outliers", time.outliers, NumberRange{0});
}

template <class Io>
void describe(Io& io, FitError& error) {
  io.field("median", error.median, kNotNegative);
  io.field("p90", error.p90, kNotNegative);
  io.field("count", error.count, NumberRange{0});
}

}  // namespace mlsim
