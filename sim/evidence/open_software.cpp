#include "sim/evidence/open_software.hpp"

#include <algorithm>
#include <cmath>
#include <map>
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

}  // namespace

std::vector<StackOnRecord> stacks_on_record(const RunTraits& asked, const Evidence& evidence, const std::string& recipe,
                                            std::optional<int> last_year) {
  if (!asked.stack.name.empty()) return {};
  const auto runs = evidence.of_network(asked.network);
  const bool same_chip = std::any_of(
      runs.begin(), runs.end(), [&](const Evidence::Run& each) { return difference(asked, each.traits).chip < 2; });
  std::map<std::pair<std::string, std::optional<bool>>, double> nearest;  // by stack and fusion
  for (const Evidence::Run& each : runs) {
    const Difference apart = difference(asked, each.traits);
    if (apart.chip > (same_chip ? 1 : 2)) continue;
    if (each.run.source.provenance == Provenance::measured) return {};
    if (apart.precision) continue;
    const double distance = likeness_distance(apart);
    const std::optional<bool> fusion = asked.fusion ? std::nullopt : each.traits.fusion;
    const auto [entry, fresh] = nearest.try_emplace({each.traits.stack.name, fusion}, distance);
    if (!fresh) entry->second = std::min(entry->second, distance);
  }
  std::vector<StackOnRecord> stacks;
  for (const auto& [variant, distance] : nearest) stacks.push_back({variant.first, distance, variant.second});
  const auto later = [&](const StackOnRecord& each) { return later_than(last_year, each.stack); };
  if (!std::all_of(stacks.begin(), stacks.end(), later)) std::erase_if(stacks, later);
  const auto round = mlperf_round(recipe);
  const auto missed = [&](const StackOnRecord& each) {
    const auto ran = mlperf_round(each.stack);
    return !ran || (*ran < kHigherTargets && round && *round >= kHigherTargets);
  };
  if (round && !std::all_of(stacks.begin(), stacks.end(), missed)) std::erase_if(stacks, missed);
  std::stable_sort(stacks.begin(), stacks.end(), [](auto& a, auto& b) { return a.distance < b.distance; });
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
