// MLBench's price index says whether spreading a job over more accelerators is worth its price.
#pragma once

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `PricedTime` is one way to do a job.
struct PricedTime {
  Seconds time;
  UsdPerSecond price;  // price of the whole system
};

/// Compares how many times as much `many` costs as `one` with how many times as fast it is. With N times the price and
/// a speedup of S the index is N / S^2: below 1 the job is worth the higher price (MLBench documentation,
/// benchmark-tasks.rst, tasks 2a and 4a). Times and prices must be positive.
PriceIndex price_index(const PricedTime& many, const PricedTime& one);

}  // namespace mlsim::sim
