// A `JobBill` says how long a job takes and what is billed for it, at any price.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

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

}  // namespace mlsim::studies
