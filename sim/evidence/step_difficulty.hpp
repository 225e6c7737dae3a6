// A step's difficulty says how hard it is to predict, and how far off answers so hard have been.
#pragma once

#include "core/result/trust.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The width of an answer's interval follows from these alone.
struct StepDifficulty {
  Footing footing = Footing::no_run;
  Seconds linear;              // the step, did every accelerator keep the rate of the run; 0 without one
  double log_apart = 0;        // of the stack that answers and the farthest one, where several are on record
  bool bare_roofline = false;  // of the data sheet, without a run and without a curve
  double log_pooled = 0;       // sigma of what products reach, where it is that of other chips
  double log_exchanges = 0;    // how much longer a step is whose exchanges take twice as long and hide behind nothing
};

/// The difficulty, with which |ln error| grows, is 0.15 (1 where the run is of other software) + |ln(predicted /
/// linear)| + how far the farthest stack on record is from the one that answers; without a run it is 1, or 2 where not
/// even an efficiency curve is known, and more where products are other chips'.
double log_difficulty(const StepDifficulty& step, Seconds predicted);

/// Gives one sigma of the log of the step's time, so that its 90 % interval is as wide as the 0.9 quantile of |ln
/// error| over the difficulty was, on that footing, on the published runs that are checks: split-conformal, recomputed
/// by a test.
double conformal_spread(const StepDifficulty& step, Seconds predicted);

/// Gives that quantile.
double conformal_factor(Footing footing);

}  // namespace mlsim::sim
