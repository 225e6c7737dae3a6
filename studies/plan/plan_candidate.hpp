// A `PlanCandidate` is one way to do a job: a system, a size, a batch, with the spread of its time and bill.
#pragma once

#include <optional>
#include <string>

#include "core/result/prediction.hpp"
#include "core/result/trust.hpp"
#include "core/units.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::studies {

struct PlanGoal {
  std::optional<Seconds> deadline;  // for the time to target
  std::optional<Usd> budget;
  double confidence = 0.9;  // probability with which both are met
};

/// A `PlanRecord` is a published run that did the candidate's job on its system and size.
struct PlanRecord {
  std::string id;
  Seconds time;
};

struct PlanCandidate {
  PredictRequest request;  // that predict() answers with these figures
  std::string system;      // "p4d"
  int accelerators = 1;
  double global_batch = 1;
  std::string workload, parallelism, precision, recipe, target;
  TrustLevel trust = TrustLevel::weak;
  std::string techniques;  // settings that it needs to fit: "recompute=full"; empty where it does without
  Seconds time;            // median to the target
  double log_spread = 0;   // one sigma of the log of the time
  std::optional<UsdPerSecond> price;
  Seconds beyond_clock;  // held, and billed, besides the time to target
  Seconds init;          // of the time that is held
  Billing billing = Billing::second;
  Bytes memory, memory_capacity;  // of an accelerator
  PerSecond throughput;
  Seconds step_time;
  double scaling_efficiency = 1;
  std::optional<PlanRecord> record;  // the quickest; empty where none is published

  /// Returns the time that a share of all runs keeps below.
  Seconds time_within(double share) const;
  Usd bill(Seconds time) const;  // needs a price
  std::optional<Usd> cost() const { return price ? std::optional(bill(time)) : std::nullopt; }
  std::optional<Usd> cost_without_init() const { return price ? std::optional(bill(time - init)) : std::nullopt; }
  /// Returns the bill that a share of all runs keeps below.
  std::optional<Usd> cost_within(double share) const;
  /// Returns the probability that a run meets the goal. Without a price no budget is met.
  double probability(const PlanGoal& goal) const;
  /// Tells whether the published run met the goal, at the candidate's price.
  bool record_meets(const PlanGoal& goal) const;
  bool meets(const PlanGoal& goal) const { return probability(goal) >= goal.confidence || record_meets(goal); }
};

/// Makes the candidate of an answer with a time to target; empty for others.
std::optional<PlanCandidate> candidate_of(const PredictRequest& request, const Prediction& answer);

}  // namespace mlsim::studies
