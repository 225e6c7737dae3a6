// A capacity plan says which system to rent for one training job, how large, and with which batch: the cheapest that is
// done by a deadline, the quickest within a budget, and how sure that is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "studies/namespace.hpp"
#include "studies/plan/plan_candidate.hpp"
#include "studies/question.hpp"

namespace mlsim::studies {

struct PlanQuestion {
  QuestionText job;  // workload, precision, settings; topology a list or empty: all that have a price
  PlanGoal goal;
  double memory_margin = kMemoryMargin;  // share of the memory that stays free
  int most_accelerators = 1024;
  TrustLevel least_trust = TrustLevel::weak;             // candidates that are trusted less are left out
  int workers = 0;                                       // processes; 0: one for each processor
  std::function<void(const std::string& sentence)> say;  // of a system that is asked again; may be empty
};

/// This is the reason of a system that has no price on record.
inline constexpr const char* kNoPrice = "no price is known";

/// A `LeftOut` is a system that has no candidate, or none that meets the goal.
struct LeftOut {
  std::string system;
  std::string reason;
};

/// A `Sensitivity` is what a change of the chosen system does to its job.
struct Sensitivity {
  std::string change;        // "NIC bandwidth doubled", "16 accelerators more"
  Seconds time;              // by which the median grows; below 0: saves
  std::optional<Usd> cost;   // by which the median bill grows at the system's price; below 0: saves
  std::optional<Usd> worth;  // USD/h and node that the change may cost before the bill is what it was; of resources
};

/// A `PreemptibleChoice` is the chosen system at the price of preemptible machines.
struct PreemptibleChoice {
  Usd cost;                          // of a job that nothing preempts
  Usd on_demand;                     // of the same job on demand
  std::optional<double> break_even;  // preemptions a machine and hour above which on demand is cheaper; empty: never
};

/// A `MeasurementWorth` is what a calibration of one node of the chosen system would tell.
struct MeasurementWorth {
  Interval time, time_after;  // 5th and 95th percentile now, and with a step measured on one node
  double may_change = 0;      // probability that the runner-up is the better choice by what the measurement finds
};

/// A `TurningPoint` is the value of the goal or the price beyond which another candidate is chosen.
struct TurningPoint {
  std::string change;     // "a deadline below 1.4 h", "p4d above 35.1 USD/h"
  std::size_t candidate;  // the choice then
};

struct CapacityPlan {
  PlanGoal goal;
  std::string workload, target;
  std::vector<PlanCandidate> candidates;  // the best batch of each system and size; by system, then size
  std::optional<std::size_t> chosen;      // the cheapest that meets the goal; with a budget alone the quickest
  std::optional<std::size_t> runner_up;   // the best of another system, not of the same by another name
  std::optional<std::size_t> cheapest;    // that meets the deadline, whatever the budget
  std::optional<std::size_t> quickest;    // within the budget, whatever the deadline
  std::optional<std::size_t> trusted;     // the choice among those that are trusted more, where it is trusted weakly
  std::optional<std::size_t>
      knee;  // of the chosen system, where it has several sizes: the least time x cost, which is the most speedup x
             // efficiency (Eager, Zahorjan, Lazowska 1989)
  std::vector<std::size_t> front;  // none is both quicker and cheaper, by median; the quickest first
  std::vector<LeftOut> left_out;
  PredictRequest asked;                  // of the chosen candidate, before what it leaves open is chosen
  std::optional<Prediction> prediction;  // of the chosen candidate
  int hosts = 1;                         // of the chosen candidate: nodes, virtual machines
  std::vector<Sensitivity> sensitivities;
  std::vector<TurningPoint> turning_points;
  std::optional<PreemptibleChoice> preemptible;
  std::optional<MeasurementWorth> measurement;
};

/// Throws InputError for wrong words, Infeasible where nothing can be predicted at all.
CapacityPlan capacity_plan(const PlanQuestion& question, const KnownFigures& known);

/// The schema is studies/plan/plan.schema.json.
std::string to_json(const CapacityPlan& plan);

}  // namespace mlsim::studies
