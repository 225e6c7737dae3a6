// job_answer() makes the job of a prediction from the throughput: time to target, cost and their intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/explanation.hpp"
#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// A `JobRate` says at what rate a job goes through its samples.
struct JobRate {
  PerSecond throughput;
  Seconds forward;             // that one accelerator's batch takes forward; 0 where it is not known
  double step_log_spread = 0;  // one sigma of the log of the step time
};

/// A `JobAnswer` holds what is known of a job; its members are empty where there is no target, no data for it, no end,
/// which a warning then says, or no price.
struct JobAnswer {
  std::string target;  // "75.9 % top-1", "the end of 90 epochs"
  std::optional<Prediction::Job> job;
  std::optional<Prediction::Goodput> goodput;  // of a language model
  std::optional<Seconds> time_to_target;
  std::optional<Usd> cost, cost_without_init;
  std::optional<Interval> time_interval, cost_interval, cost_without_init_interval, samples_interval;
  Notes notes;
};

/// Returns what failures leave of a long job's time; empty where goodput() is, and of what is no language model.
std::optional<Prediction::Goodput> goodput_answer(const PredictRequest& request, const Plan& plan);
/// Returns the goodput as asked, and then with a spare node, quicker checkpoints and restarts, and fewer failures, one
/// at a time; empty where goodput_answer() is.
std::vector<GoodputChange> goodput_changes(const PredictRequest& request, const Plan& plan);

/// `price` is of the whole system. Throws InputError for a setting of the job where there is none.
JobAnswer job_answer(const PredictRequest& request, const Plan& plan, const JobRate& rate,
                     std::optional<UsdPerSecond> price);

}  // namespace mlsim::sim
