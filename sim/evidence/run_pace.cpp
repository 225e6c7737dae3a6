#include "sim/evidence/run_pace.hpp"

#include <map>
#include <utility>

#include "sim/evidence/pace_fit.hpp"

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

// The step that ran, its kernels by the curve alone. Not copied: its cost refers to its graph.
class AnchorStep {
 public:
  AnchorStep(const ParsedAnchor& run, const PredictRequest& asked) : AnchorStep(request_of(run, asked)) {}
  AnchorStep(const AnchorStep&) = delete;

  const StepCost& cost() const { return cost_; }

 private:
  explicit AnchorStep(const PredictRequest& request) : AnchorStep(request, make_plan(request)) {}
  AnchorStep(const PredictRequest& request, const Plan& plan)
      : lowered_(lower_plan(plan)), cost_(lowered_, step_terms(plan), own_cost(plan, request).curves_only()) {}

  LoweredPlan lowered_;
  StepCost cost_;
};

// What was solved on the lists of the latest question, which it keeps so that no other takes their place in memory.
struct SolvedPaces {
  SharedList<ParsedAnchor> runs, anchors;
  SharedList<Profile> builtin_profiles, own_profiles;
  std::map<std::size_t, double> speeds;
  std::map<std::pair<std::size_t, double>, double> contentions;
};

SolvedPaces& solved_on(const SharedList<ParsedAnchor>& runs, const PredictRequest& asked) {
  thread_local SolvedPaces solved;
  const bool same = solved.runs.is(runs) && solved.anchors.is(asked.anchors) &&
                    solved.builtin_profiles.is(asked.builtin_profiles) && solved.own_profiles.is(asked.own_profiles);
  if (!same) solved = {runs, asked.anchors, asked.builtin_profiles, asked.own_profiles, {}, {}};
  return solved;
}

template <class Key, class Solve>
double solved_once(std::map<Key, double>& known, const Key& key, Solve solve) {
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const double value = solve();
  return known.emplace(key, value).first->second;
}

}  // namespace

Seconds measured_step(const ParsedAnchor& run) { return run.global_batch / run.throughput; }

double kernel_speed(const SharedList<ParsedAnchor>& runs, std::size_t place, const PredictRequest& asked) {
  return solved_once(solved_on(runs, asked).speeds, place, [&] {
    const ParsedAnchor& run = runs[place];
    return solve_kernel_speed(AnchorStep(run, asked).cost(), measured_step(run));
  });
}

double run_contention(const SharedList<ParsedAnchor>& runs, std::size_t place, double speed,
                      const PredictRequest& asked) {
  return solved_once(solved_on(runs, asked).contentions, {place, speed}, [&] {
    const ParsedAnchor& run = runs[place];
    return solve_contention(AnchorStep(run, asked).cost(), speed, measured_step(run));
  });
}

}  // namespace mlsim::sim
