// A plan looks at every way to do a job, each as predict answers it, and at what would change the choice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/options/options.hpp"
#include "studies/namespace.hpp"
#include "studies/plan/plan.hpp"
#include "studies/plan/plan_candidate.hpp"

namespace mlsim::studies {

/// A plan chooses among these systems and sizes.
struct SystemSize {
  std::string system;
  int accelerators = 1;
  bool operator==(const SystemSize&) const = default;
};

struct PlanSystems {
  std::vector<SystemSize> sizes;  // by system, then size
  std::vector<LeftOut> left_out;  // without the price that is asked for
};

/// Lists the systems that the question names, or all that have a price, each whole, halved as long as that goes without
/// remainder, and doubled up to the most accelerators: a machine comes in any number of nodes, a pod only as large as
/// it is. Of two sizes at one price, parts of a machine that is rented whole, only the larger. Throws InputError for
/// wrong names.
PlanSystems plan_systems(const PlanQuestion& question, const PriceOptions& price);

/// `PlanRecords` finds the published runs of candidates, and reads those of a workload once.
class PlanRecords {
 public:
  /// Returns the quickest run on as many accelerators of the candidate's machine; empty where none is published.
  std::optional<PlanRecord> of(const PlanCandidate& candidate);

 private:
  struct Run {
    std::string system, target;
    PlanRecord record;
  };
  static std::vector<Run> runs_of(const std::string& workload);

  std::map<std::string, std::vector<Run>> known_;  // by workload
};

/// A plan looks at every way to do a job: systems and sizes, each as predict answers it.
struct PlanSearch {
  std::vector<PlanCandidate> candidates;  // as in CapacityPlan
  std::vector<LeftOut> left_out;
};

/// Systems and sizes are those of plan_systems(). Precision, batch and layout are those that predict chooses where the
/// question leaves them open, so that both tell one story. Throws InputError for wrong words.
PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known);

/// Changes are twice of each resource of the chosen system, and its sizes next to the chosen one.
std::vector<Sensitivity> sensitivities(const CapacityPlan& plan);

/// The choice is empty where no preemptible price is known, or the question names a kind of price.
std::optional<PreemptibleChoice> preemptible_choice(const CapacityPlan& plan);

/// The worth is computed as if `mlsim calibrate` had timed the step on one node of the chosen system and found what is
/// predicted.
std::optional<MeasurementWorth> measurement_worth(const CapacityPlan& plan);

}  // namespace mlsim::studies
