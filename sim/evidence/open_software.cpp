#include "sim/evidence/open_software.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sim/evidence/difference.hpp"
#include "sim/evidence/stack_year.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

// Each doubling of distance halves a stack's weight so many times. Of 1 and 2 on the board asked without software the
// larger is nearer (docs/decisions.md); beyond 4 the nearest stack decides alone.
constexpr double kHalvings = 2;

// MLPerf raised its targets in v0.6 (74.9 to 75.9 % for ResNet-50, 21.2 to 23 % for SSD): v0.5 ran to others.
constexpr double kHigherTargets = 0.6;

// The distance is in doublings of the batch. It is assumed that another machine or a larger system counts as one, as
// does the same network without its padding; another version or fused operators against separate ones as two; half and
// twice these moved the board's median by 0.1 points.
double likeness_distance(const Difference& apart) {
  const double version = !apart.computed ? 0 : apart.workload ? 2 : 1;
  return apart.batch_apart + apart.machine + version + apart.larger + (apart.fusion ? 2 : 0);
}

double batches_apart(const RunTraits& asked, const RunTraits& run) {
  return doublings_apart(asked.batch_each(), run.batch_each()) + doublings_apart(asked.global_batch, run.global_batch);
}

// Empty where a run is the user's own.
std::vector<StackOnRecord> all_stacks(const RunTraits& asked, const Evidence& evidence) {
  const auto runs = evidence.of_network(asked.network);
  const bool same_chip = std::any_of(
      runs.begin(), runs.end(), [&](const Evidence::Run& each) { return difference(asked, each.traits).chip < 2; });
  std::map<std::pair<std::string, std::optional<bool>>, StackOnRecord> nearest;  // by stack and fusion
  for (const Evidence::Run& each : runs) {
    const Difference apart = difference(asked, each.traits);
    if (apart.chip > (same_chip ? 1 : 2)) continue;
    if (each.run.source.provenance == Provenance::measured) return {};
    if (apart.precision) continue;
    const std::optional<bool> fusion = asked.fusion ? std::nullopt : each.traits.fusion;
    const StackOnRecord ran{each.traits.stack.name, likeness_distance(apart), batches_apart(asked, each.traits),
                            fusion};
    StackOnRecord& kept = nearest.try_emplace({ran.stack, fusion}, ran).first->second;
    kept.distance = std::min(kept.distance, ran.distance);
    kept.batch_apart = std::min(kept.batch_apart, ran.batch_apart);
  }
  std::vector<StackOnRecord> stacks;
  for (const auto& [variant, stack] : nearest) stacks.push_back(stack);
  return stacks;
}

// Leaves out what did not run to the recipe's target, unless its batches are nearer to the question's.
void keep_to_target(std::vector<StackOnRecord>& stacks, const std::string& recipe) {
  const auto round = mlperf_round(recipe);
  if (!round) return;
  const auto ran_to_it = [&](const StackOnRecord& each) {
    const auto ran = mlperf_round(each.stack);
    return ran && (*ran >= kHigherTargets || *round < kHigherTargets);
  };
  const auto others = std::stable_partition(stacks.begin(), stacks.end(), ran_to_it);
  const auto nearer = [](const StackOnRecord& a, const StackOnRecord& b) { return a.batch_apart < b.batch_apart; };
  const auto nearest = std::min_element(stacks.begin(), others, nearer);
  if (nearest == others) return;
  const bool strangers = std::any_of(others, stacks.end(), [&](const auto& each) { return nearer(each, *nearest); });
  if (!strangers) stacks.erase(others, stacks.end());
}

}  // namespace

std::vector<StackOnRecord> stacks_on_record(const RunTraits& asked, const Evidence& evidence, const std::string& recipe,
                                            std::optional<int> last_year) {
  if (!asked.stack.name.empty()) return {};
  std::vector<StackOnRecord> stacks = all_stacks(asked, evidence);
  const auto later = [&](const StackOnRecord& each) { return later_than(last_year, each.stack); };
  if (!std::all_of(stacks.begin(), stacks.end(), later)) std::erase_if(stacks, later);
  keep_to_target(stacks, recipe);
  std::stable_sort(stacks.begin(), stacks.end(), [](auto& a, auto& b) {
    return std::tie(a.distance, a.stack, a.fusion) < std::tie(b.distance, b.stack, b.fusion);
  });
  if (stacks.size() > kMostStacks) stacks.resize(kMostStacks);
  return stacks;
}

OpenSoftware median_software(std::vector<StackStep> steps) {
  const auto weight = [](const StackStep& each) { return std::exp2(-kHalvings * each.stack.distance); };
  std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  double all = 0;
  for (const StackStep& each : steps) all += weight(each);
  double below = 0;
  for (const StackStep& each : steps) {
    below += weight(each);
    if (below < all / 2) continue;
    const std::string base = stack_name(each.stack.stack).code_base;
    const bool differ = std::any_of(steps.begin(), steps.end(), [&](const StackStep& other) {
      return stack_name(other.stack.stack).code_base != base;
    });
    const bool one = std::all_of(steps.begin(), steps.end(),
                                 [&](const StackStep& other) { return other.stack.stack == each.stack.stack; });
    const auto ran = [&](bool fusion) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](const StackStep& other) { return other.stack.fusion == fusion; });
    };
    return {.stack = each.stack,
            .stacks = steps.size(),
            .code_bases_differ = differ,
            .fusion_alone = one,
            .fusions_differ = ran(true) && ran(false),
            .step = each.step,
            .shortest = steps.front().step,
            .longest = steps.back().step};
  }
  return {};
}

}  // namespace mlsim::sim
