// The speed of kernels, and what ranks cost one another, from whole steps on record.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "sim/evidence/anchor_choice.hpp"
#include "sim/evidence/step_difficulty.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

struct AnchoredSpeed {
  Pace pace;              // the contention is the stack's where no second anchor tells
  bool anchored = false;  // whether a step is on record
  StepDifficulty difficulty;
  Statement distance;
  Trust trust;  // by the nearest of the anchors
  std::vector<ProvenanceEntry> provenance;
};

/// What of the question decides on an anchor.
AnchorQuestion question_of(const PredictRequest& request, const Plan& plan);

/// The request's anchors, then those of its profiles.
SharedList<ParsedAnchor> all_anchors(const PredictRequest& request);

/// From the nearest anchor: the factor at which its closed-form step takes what was measured, all its kernels by the
/// efficiency curve, whatever profiles know of single ones: the factor says how far the curve is off, and kernels that
/// were measured do not follow it. Where that anchor is of one accelerator and a second one of the same runs on several,
/// the contention at which that one comes out as well.
AnchoredSpeed anchored_speed(const PredictRequest& request, const Plan& plan, const KernelCost& cost);

}  // namespace mlsim::sim
