// What a published case states, and the units in which tables give it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

enum class Metric {
  throughput,
  speedup,
  scaling_efficiency,
  step_time,
  time_to_accuracy,
  cost,
  price_ratio,
  all_reduce_time,
  bus_bandwidth,
};

const std::vector<std::string>& metric_names();
std::string_view name(Metric metric);
Metric parse_metric(std::string_view word);  // throws InputError with the nearest metric

/// SI units (samples/s, s, USD, B/s, 1) in one `unit` of this metric: 60 for "min", 0.01 for "percent". Throws
/// InputError with the units that the metric takes.
double unit_factor(Metric metric, std::string_view unit);

/// The unit of the metric's values once they are read: "samples/s", "s", "USD", "B/s" or "1".
std::string_view si_unit(Metric metric);

}  // namespace mlsim
