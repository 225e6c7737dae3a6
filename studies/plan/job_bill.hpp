// A `JobBill` says how long a job takes and what is billed of it; a Pareto front is what is worth a look of many.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// A `JobBill` says how long a job takes and what is billed for it, at any price.
struct JobBill {
  Seconds time, billed;               // cost is billed x price
  Interval time_range{};              // s, 5th and 95th percentile
  Interval billed_range{};            // s
  std::optional<UsdPerSecond> price;  // of all accelerators; empty where none is known

  std::optional<Usd> cost() const { return price ? std::optional(billed * *price) : std::nullopt; }
  /// Returns the price of all accelerators at which the job costs as much as `other`.
  UsdPerSecond break_even(Usd other) const { return other / billed; }
};

/// The bill is empty where the job has no target. Where no cost is known, what is billed varies as the time does.
std::optional<JobBill> job_bill(const Prediction& prediction);

/// Finds the bills that no other beats in both time and cost, the quickest first; those that lack either do not count.
std::vector<std::size_t> cost_front(const std::vector<std::optional<JobBill>>& bills);

using TimeAndCost = std::array<double, 2>;  // s, USD

/// The Pareto front is what is worth a look where time and cost both count: the points that no other beats in both, the
/// quickest first; of equals the first. What lacks either does not count.
std::vector<std::size_t> pareto_front(const std::vector<std::optional<TimeAndCost>>& points);

}  // namespace mlsim::studies
