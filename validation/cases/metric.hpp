// A `Metric` is what a published case states; unit_factor() knows the units in which tables give it.
#pragma once

#include <optional>
#include <string_view>

#include "core/profile/collective.hpp"
#include "core/text/words.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

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
  communication_share,  // exposed communication / step time
  relative_throughput,  // over that of another case
  all_to_all_share,     // time in all-to-alls / (that and compute)
  all_to_all_time,      // time of one step's all-to-alls, or of one all-to-all by itself
  all_to_all_growth,    // over that of another case
  memory,               // peak of an accelerator, what the framework allocates
};

inline Words<Metric> words(Metric) {
  return {"metric",
          {"throughput", "speedup", "scaling_efficiency", "step_time", "time_to_accuracy", "cost", "price_ratio",
           "all_reduce_time", "bus_bandwidth", "communication_share", "relative_throughput", "all_to_all_share",
           "all_to_all_time", "all_to_all_growth", "memory"}};
}

/// A metric is a figure of one of these, which gives its units: samples/s, s, USD, B/s, B, 1.
enum class MetricQuantity { rate, time, money, bandwidth, bytes, number };
MetricQuantity quantity_of(Metric metric);

/// Gives the SI units (samples/s, s, USD, B/s, 1) in one `unit` of this metric: 60 for "min", 0.01 for "percent".
/// Throws InputError with the units that the metric takes.
double unit_factor(Metric metric, std::string_view unit);

/// Gives the metric of which a relative one is the ratio between two cases: throughput for speedup, cost for
/// price_ratio. It is empty for those that state a case's own figure.
std::optional<Metric> ratio_of(Metric metric);
/// Says whether the metric makes sense only in comparison with another case.
bool needs_reference(Metric metric);

/// A metric goes with one collective by itself not at all, also, or only so.
enum class LoneCollective { never, also, only };
LoneCollective lone_collective(Metric metric);
/// Gives the kind that the metric times; empty for bus_bandwidth, which any kind has, and for metrics of steps.
std::optional<CollectiveKind> collective_of(Metric metric);

}  // namespace mlsim::validation
