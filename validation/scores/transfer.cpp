#include "validation/scores/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/evidence/anchor_traits.hpp"
#include "sim/evidence/pace_fit.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "topologies/build_cluster.hpp"
#include "validation/scores/transfer_bounds.hpp"
#include "validation/scores/validate.hpp"
#include "workloads/model/network_name.hpp"

namespace mlsim::validation {
namespace {

struct Generations {
  const char *name, *from, *to;  // the last two as names of accelerators begin
};
constexpr Generations kPairs[] = {{"P100 -> V100", "p100-", "v100-"}, {"V100 -> A100", "v100-", "a100-"}};
constexpr double kMostBatchRatio = 2;  // beyond, the two runs differ in more than their accelerator

// All but the stack and how the batch is split.
Options rest_of(Options options) {
  options.software.stack.clear();
  options.memory.accumulation.reset();
  return options;
}

double micro_batch(const Case& c) { return *c.global_batch / c.options.memory.accumulation.value_or(1); }

bool single_run(const Case& c) {
  return c.metric == Metric::throughput && c.accelerators == 1 && c.global_batch && c.precision && !c.payload;
}

double batch_distance(const Case& a, const Case& b) { return std::abs(std::log(micro_batch(a) / micro_batch(b))); }

bool comparable(const Case& a, const Case& b) {
  return network_name(a.workload) == network_name(b.workload) && a.precision == b.precision &&
         batch_distance(a, b) <= std::log(kMostBatchRatio) + 1e-9;
}

bool same_code(const Case& a, const Case& b) {
  return a.workload == b.workload && code_base(a.options.software.stack) == code_base(b.options.software.stack) &&
         rest_of(a.options) == rest_of(b.options);
}

// Runs of no workload: what their stacks are called is known, and no answer leans on them.
SharedList<ParsedAnchor> stack_names(const std::vector<Case>& cases) {
  std::vector<ParsedAnchor> anchors = anchors_from(cases);
  for (ParsedAnchor& anchor : anchors) anchor.workload.clear();
  return anchors;
}

// The kernels that run `target` would need, each as long as run `measured` says of its own accelerator.
Profile measured_profile(const Case& measured, const PredictRequest& target, const ValidationOptions& options) {
  const PredictRequest request = request_of(measured, {{}, target.anchors, options.profiles}, options);
  const Plan known = make_plan(request);
  const KernelCost cost = own_cost(known, request);
  const LoweredPlan known_step = lower_plan(known);
  const double speed = solve_kernel_speed(StepCost(known_step, step_terms(known), cost),
                                          *measured.global_batch / PerSecond(measured.value));
  Profile profile;
  profile.accelerator = known.cluster->accelerator.name;
  profile.machine = measured.id;
  std::map<KernelKey, Seconds> times;
  const auto add = [&](const KernelWork& work) {
    const KernelTime time = cost.time(work);
    times.emplace(work.key, time.at(speed));
  };
  const LoweredPlan lowered = lower_plan(make_plan(target));
  for (auto [v, end] = boost::vertices(lowered.graph); v != end; ++v) for_kernels_of(lowered.graph[*v], add);
  for (const auto& [key, time] : times)
    profile.kernels.push_back(
        {key, 0, Cache::cold, {time, time, time, 1, 0}, {Provenance::published, measured.citation, ""}});
  return profile;
}

TransferCheck checked(const Case& measured, const Case& target, const SharedList<ParsedAnchor>& stacks,
                      const ValidationOptions& options) {
  PredictRequest request = request_of(target, {{}, stacks, options.profiles}, options);
  request.own_profiles = {measured_profile(measured, request, options)};
  return {accelerator_of(measured.topology), accelerator_of(target.topology), measured.id, target.id, target.value,
          predict(request).throughput.value};
}

// The run of `runs` that says most of `target`; null where there is none.
const Case* nearest_run(const std::vector<const Case*>& runs, const Case& target, bool any_code) {
  const Case* best = nullptr;
  for (const Case* run : runs) {
    const Case& c = *run;
    if (!comparable(c, target) || !(any_code || same_code(c, target))) continue;
    if (best == nullptr || batch_distance(c, target) < batch_distance(*best, target)) best = &c;
  }
  return best;
}

// Single runs on accelerators whose names start so.
std::vector<const Case*> runs_on(const std::vector<Case>& cases, const std::string& accelerator) {
  std::vector<const Case*> runs;
  for (const Case& c : cases)
    if (single_run(c) && accelerator_of(c.topology).starts_with(accelerator)) runs.push_back(&c);
  return runs;
}

using RunPair = std::pair<const Case*, const Case*>;

std::vector<RunPair> run_pairs(const std::vector<const Case*>& older, const std::vector<const Case*>& newer,
                               bool any_code) {
  std::vector<RunPair> pairs;
  for (const Case* target : newer)
    if (const Case* measured = nearest_run(older, *target, any_code)) pairs.emplace_back(measured, target);
  return pairs;
}

TransferScore score(const std::string& name, const std::vector<TransferCheck>& checks) {
  std::vector<double> errors;
  double squares = 0;
  for (const TransferCheck& c : checks) {
    errors.push_back(c.error());
    squares += std::pow(std::log1p(c.error()), 2);
  }
  return {name, summary(errors), errors.empty() ? 0 : std::sqrt(squares / static_cast<double>(errors.size()))};
}

}  // namespace

TransferErrors transfer_errors(const std::vector<Case>& cases, const SharedList<Profile>& profiles) {
  ValidationOptions options;
  options.profiles = profiles;
  options.fidelity = Fidelity::closed;
  const SharedList<ParsedAnchor> stacks = stack_names(cases);
  TransferErrors errors;
  for (const Generations& generations : kPairs) {
    const auto older = runs_on(cases, generations.from), newer = runs_on(cases, generations.to);
    auto runs = run_pairs(older, newer, false);
    if (runs.empty()) runs = run_pairs(older, newer, true);
    std::vector<TransferCheck> checks;
    for (const auto& [measured, target] : runs) checks.push_back(checked(*measured, *target, stacks, options));
    errors.pairs.push_back(score(generations.name, checks));
    errors.checks.insert(errors.checks.end(), checks.begin(), checks.end());
  }
  errors.all = score("all", errors.checks);
  return errors;
}

std::vector<std::string> misses(const TransferErrors& errors) {
  std::vector<std::string> found;
  const auto check = [&](const char* what, double error, double bound) {
    if (error > bound)
      found.push_back(fmt::format("{} error {:.1f} %, bound {:.1f} %", what, 100 * error, 100 * bound));
  };
  check("median", errors.all.error.median, kTransferMedianBound);
  check("largest", errors.all.error.max, kTransferLargestBound);
  return found;
}

}  // namespace mlsim::validation
