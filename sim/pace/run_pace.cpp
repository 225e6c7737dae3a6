#include "sim/pace/run_pace.hpp"

#include <cmath>
#include <optional>

namespace mlsim::sim {
namespace {

PredictRequest request_of(const ParsedAnchor& run, const PredictRequest& asked) {
  PredictRequest request;
  request.topology = run.topology;
  request.workload = run.workload;
  request.accelerators = run.accelerators;
  request.global_batch = run.global_batch;
  request.precision = run.precision;
  request.fidelity = Fidelity::closed;
  request.options = run.options;
  request.parallelism = run.parallelism;
  request.builtin_profiles = asked.builtin_profiles;
  request.own_profiles = asked.own_profiles;
  request.anchors = asked.anchors;
  return request;
}

// A `StepOfRun` is the step that ran, its kernels by the curve alone. It is not copied: its cost refers to its graph.
class StepOfRun {
 public:
  StepOfRun(const ParsedAnchor& run, const PredictRequest& asked) : StepOfRun(request_of(run, asked)) {}
  StepOfRun(const StepOfRun&) = delete;

  const StepCost& cost() const { return cost_; }

 private:
  // It ran, whatever the memory that is counted here says.
  explicit StepOfRun(const PredictRequest& request) : StepOfRun(request, plan_of_any_size(request)) {}
  StepOfRun(const PredictRequest& request, const Plan& plan)
      : lowered_(lower_plan(plan)), cost_(lowered_, step_terms(plan), own_cost(plan, request).curves_only()) {}

  LoweredPlan lowered_;
  StepCost cost_;
};

}  // namespace

double solve_kernel_speed(const StepCost& step, Seconds measured) {
  double slow = 1e-3, fast = 1e3;
  const auto time = [&](double speed) { return step.nominal_time({speed, step.pace().contention}); };
  if (time(fast) > measured) return fast;
  while (fast / slow > 1 + 1e-9) {
    const double middle = std::sqrt(slow * fast);
    (time(middle) > measured ? slow : fast) = middle;
  }
  return fast;
}

double solve_contention(const StepCost& step, double speed, Seconds measured) {
  double least = -0.5, most = 20;
  while (most - least > 1e-9) {
    const double middle = (least + most) / 2;
    (step.nominal_time({speed, middle}) > measured ? most : least) = middle;
  }
  return most;
}

Seconds measured_step(const ParsedAnchor& run) { return run.global_batch / run.throughput; }

double kernel_speed(const Evidence& runs, std::size_t place, const PredictRequest& asked) {
  return runs.solved({place, std::nullopt}, asked.builtin_profiles, asked.own_profiles, [&] {
    return solve_kernel_speed(StepOfRun(runs[place], asked).cost(), measured_step(runs[place]));
  });
}

double run_contention(const Evidence& runs, std::size_t place, double speed, const PredictRequest& asked) {
  return runs.solved({place, speed}, asked.builtin_profiles, asked.own_profiles, [&] {
    return solve_contention(StepOfRun(runs[place], asked).cost(), speed, measured_step(runs[place]));
  });
}

}  // namespace mlsim::sim
