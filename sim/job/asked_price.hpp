// This header gives the price that price, price_date and price_region ask for, and the price index.
#pragma once

#include <optional>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "topologies/price/prices.hpp"

namespace mlsim::sim {

/// A `PricedTime` is one way to do a job.
struct PricedTime {
  Seconds time;
  UsdPerSecond price;  // price of the whole system
};

/// MLBench's price index says whether spreading a job over more accelerators is worth its price.
/// Compares how many times as much `many` costs as `one` with how many times as fast it is. With N times the price and
/// a speedup of S the index is N / S^2: below 1 the job is worth the higher price (MLBench documentation,
/// benchmark-tasks.rst, tasks 2a and 4a). Times and prices must be positive.
PriceIndex price_index(const PricedTime& many, const PricedTime& one);

/// Without options the question is on demand, the newest, in each resource's home region. It has the user's own prices.
PriceQuestion price_question(const PriceOptions& options);

/// The price is that of the whole system; empty where none is known and no option asks for one. Throws InputError where
/// an option asks for a price that is not known, with what is known instead.
std::optional<SystemPrice> asked_price(const PriceOptions& options, const Cluster& cluster);

/// Returns what the system costs on demand at the date and in the region asked for; empty where that is not known.
std::optional<SystemPrice> on_demand_price(const PriceOptions& options, const Cluster& cluster);

/// A `PriceAnswer` is what the whole system costs; its price is empty where that is not known.
struct PriceAnswer {
  std::optional<UsdPerSecond> price;
  std::optional<Prediction::Purchase> purchase;  // of a system that is bought, where a rent is known
  std::optional<PriceIndex> index;               // empty on one accelerator and where a price or a target is not known
  Notes notes;
};

/// A `StepAlone` is the step of one accelerator against which the index compares many.
struct StepAlone {
  double batch = 1;  // samples; below 1 where ranks share one
  Seconds time;
};

/// `step` is the step time; `alone` has the same global batch where the question names that, as MLBench's tasks of a
/// given global batch do, else the same batch per accelerator. The index counts training alone: to the target, or over
/// equal samples where there is none.
PriceAnswer price_answer(const PredictRequest& request, const Plan& plan, Seconds step, const StepAlone& alone);

}  // namespace mlsim::sim
