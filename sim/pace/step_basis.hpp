// A `StepBasis` is what a step's length rests on: the runs on record nearest to it, and the pace of kernels that these
// give.
#pragma once

#include <optional>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "sim/evidence/nearest_run.hpp"
#include "sim/evidence/open_software.hpp"
#include "sim/evidence/step_difficulty.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

struct StepBasis {
  Pace pace;                             // the contention is the stack's where no second run tells
  std::vector<ProvenanceEntry> sources;  // of the pace
  std::optional<NearRun> first, second;  // a second one beside a first one on one accelerator
  std::optional<OpenSoftware> open;      // of a question that leaves its software open
  Seconds linear;                        // the step, did every accelerator keep the rate of the last of the two; or 0
  bool over_pcie = false;                // the first is of one accelerator, and several exchange over PCIe
  Statement without_run;                 // what the pace rests on where there is no first
  bool bare_roofline = false;            // then: on the data sheet alone
  bool of_operators = false;             // a language model's, whose kernels are costed one by one
  bool of_mixture = false;               // then: it has experts
  bool pooled_products = false;          // then: what its products reach is that of other chips
  bool is_open = false;                  // its software and layout were chosen
};

/// Describes the run that a question asks for.
RunTraits asked_run(const PredictRequest& request, const Plan& plan);

/// Lists the request's runs on record, then those of its profiles.
Evidence all_evidence(const PredictRequest& request);

/// The pace is the factor at which the nearest run's closed-form step takes what was measured. All its kernels go by
/// the efficiency curve there, whatever profiles know of single ones: the factor says how far the curve is off, and
/// kernels that were measured do not follow it. Where that run is of one accelerator and a second one of the same runs
/// on several, the contention is the one at which that one comes out as well.
StepBasis step_basis(const PredictRequest& request, const Plan& plan, const KernelCost& cost,
                     const std::optional<OpenSoftware>& open = {});

/// These say how far the answer may lie off, by what it rests on.
Footing footing(const StepBasis& basis);
StepDifficulty difficulty(const StepBasis& basis);
Statement distance(const StepBasis& basis);
TrustWord trust(const StepBasis& basis);

}  // namespace mlsim::sim
