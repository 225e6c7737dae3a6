// predict() answers a question: it loads, lowers, places and simulates, and clocks the job.
#pragma once

#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

/// Throws InputError, Infeasible or Unavailable. `timeline`, where given, receives the simulated step. A workload that
/// is a collective by itself has an empty timeline.
Prediction predict(const PredictRequest& request, Timeline* timeline = nullptr);

}  // namespace mlsim::sim
