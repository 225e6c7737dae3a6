#include "calibrate/sample_statistics.hpp"

#include <algorithm>
#include <limits>

#include "core/quantile.hpp"

namespace mlsim::calibrate {
namespace {

// Tukey (Exploratory Data Analysis, 1977) calls a value "far out" beyond the outer fences, three interquartile ranges
// away.
constexpr double kOuterFence = 3;

}  // namespace

SampleStatistics sorted_statistics(const std::vector<double>& ascending) {
  if (ascending.empty()) return {};
  const double low = quantile(ascending, 0.25), high = quantile(ascending, 0.75);
  const double reach = kOuterFence * (high - low);
  const auto below = std::lower_bound(ascending.begin(), ascending.end(), low - reach) - ascending.begin();
  const auto above = ascending.end() - std::upper_bound(ascending.begin(), ascending.end(), high + reach);
  return {Seconds(quantile(ascending, 0.5)), Seconds(low), Seconds(high), static_cast<int>(ascending.size()),
          static_cast<int>(below + above)};
}

SampleStatistics sample_statistics(std::vector<Seconds> samples) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const auto sample : samples) values.push_back(sample.value);
  std::sort(values.begin(), values.end());
  return sorted_statistics(values);
}

double noise(const SampleStatistics& time) {
  const Seconds range = time.upper_quartile - time.lower_quartile;
  if (range == Seconds(0)) return 0;
  return time.median > Seconds(0) ? range / time.median : std::numeric_limits<double>::infinity();
}

}  // namespace mlsim::calibrate
