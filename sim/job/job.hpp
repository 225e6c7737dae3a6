// The job of a prediction: time to target, cost and their intervals from the throughput.
#pragma once

#include "core/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// Adds job, time to accuracy, cost, their intervals and provenance; where there is no target, no data for it or no
/// end, a warning instead. `forward` is the time that one accelerator's batch takes forward, `step_log_spread` one
/// sigma of the log of the step time.
void add_job(Prediction& prediction, const PredictRequest& request, const Plan& plan, Seconds forward,
             double step_log_spread);

}  // namespace mlsim::sim
