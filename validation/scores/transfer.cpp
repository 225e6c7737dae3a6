#include "validation/scores/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/evidence/difference.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/pace/run_pace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/evidence.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::validation {
namespace {

// Habitat's own steps are off by 11.8 % in the mean (Yu et al., USENIX ATC 2021, section 5.2); published runs, whose
// code and libraries differ too, are given twice that at the median and a factor of two at most.
constexpr double kTransferMedianBound = 0.236;
constexpr double kTransferLargestBound = 1;

struct Generations {
  const char *name, *from, *to;  // the last two are kinds of chips
};
constexpr Generations kPairs[] = {{"P100 -> V100", "p100", "v100"}, {"V100 -> A100", "v100", "a100"}};
constexpr double kMostBatchDoublings = 1;  // beyond, the two runs differ in more than their accelerator

// A `CaseRun` is a case and what it is as a run.
struct CaseRun {
  const Case* what;
  RunTraits traits;
};

bool single_run(const Case& c) {
  return c.metric == Metric::throughput && c.accelerators == 1 && c.global_batch && c.precision && !c.payload;
}

bool comparable(const Difference& apart) { return !apart.format && apart.batch_apart <= kMostBatchDoublings + 1e-9; }

// The names of the stacks of all runs are known, and no answer leans on them.
Evidence stack_names(const std::vector<Case>& cases) {
  return Evidence(anchors_from(cases)).without([](std::size_t) { return true; });
}

// Makes a profile of the kernels that run `target` would need, each as long as run `measured` says of its own
// accelerator.
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
  for (const StepNode& node : *lowered.graph) for_kernels_of(node, add);
  for (const auto& [key, time] : times)
    profile.kernels.push_back(
        {key, 0, Cache::cold, {time, time, time, 1, 0}, {Provenance::published, measured.citation, ""}});
  return profile;
}

TransferCheck checked(const Case& measured, const Case& target, const Evidence& stacks,
                      const ValidationOptions& options) {
  PredictRequest request = request_of(target, {{}, stacks, options.profiles}, options);
  request.own_profiles = {measured_profile(measured, request, options)};
  return {accelerator_of(measured.topology), accelerator_of(target.topology), measured.id, target.id, target.value,
          predict(request).throughput.value};
}

// Finds the run of `runs` that says most of `target`; null where there is none.
const Case* nearest_case(const std::vector<CaseRun>& runs, const CaseRun& target, bool any_code) {
  constexpr NearerBy<&Difference::batch_apart> nearer;
  const Case* best = nullptr;
  Difference least;
  for (const CaseRun& run : runs) {
    if (run.traits.network != target.traits.network) continue;
    const Difference apart = difference(target.traits, run.traits);
    const bool same_code =
        !apart.workload && !apart.beside_stack && run.traits.stack.code_base == target.traits.stack.code_base;
    if (!comparable(apart) || !(any_code || same_code)) continue;
    if (best != nullptr && !nearer(apart, least)) continue;
    best = run.what;
    least = apart;
  }
  return best;
}

// Picks the runs on chips of a kind.
std::vector<CaseRun> runs_on(const std::vector<CaseRun>& all, const std::string& kind) {
  std::vector<CaseRun> runs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(runs),
               [&](const CaseRun& run) { return run.traits.chip.kind == kind; });
  return runs;
}

std::vector<CaseRun> single_runs(const std::vector<Case>& cases) {
  TraitsReader reader;
  std::vector<CaseRun> runs;
  for (const Case& c : cases) {
    if (!single_run(c)) continue;
    runs.push_back({&c, case_traits(c, reader)});
    runs.back().traits.settings = settings_texts(c.options);
  }
  return runs;
}

using RunPair = std::pair<const Case*, const Case*>;

std::vector<RunPair> run_pairs(const std::vector<CaseRun>& older, const std::vector<CaseRun>& newer, bool any_code) {
  std::vector<RunPair> pairs;
  for (const CaseRun& target : newer)
    if (const Case* measured = nearest_case(older, target, any_code)) pairs.emplace_back(measured, target.what);
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
  const Evidence stacks = stack_names(cases);
  TransferErrors errors;
  const std::vector<CaseRun> all = single_runs(cases);
  for (const Generations& generations : kPairs) {
    const auto older = runs_on(all, generations.from), newer = runs_on(all, generations.to);
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
