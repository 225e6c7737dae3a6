#include "sim/evidence/software_on_record.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/evidence/anchor_traits.hpp"
#include "topologies/accelerator_file.hpp"
#include "workloads/convergence/recipe_round.hpp"
#include "workloads/model/network_name.hpp"
#include "workloads/model/padding.hpp"

namespace mlsim::sim {
namespace {

// By which a stack weighs less for each doubling of distance. Of 1 and 2 on the board asked without software the larger
// is nearer (docs/decisions.md); beyond 4 the nearest stack decides alone.
constexpr double kHalvings = 2;

// In doublings of the batch. Assumed: another machine or a larger system counts as one, as does the same network without
// its padding; another version or fused operators against separate ones as two; half and twice these moved the board's
// median by 0.1 points.
double likeness_distance(const AnchorQuestion& question, const ParsedAnchor& anchor) {
  const double batch = std::abs(std::log2(question.micro_batch / micro_batch(anchor)));
  const double machine = machine_name(anchor.topology) == machine_name(question.topology) ? 0 : 1;
  const std::string& computed = computed_workload(anchor.workload, anchor.options.software.stack);
  const double version = computed == question.workload ? 0 : anchor.workload == question.workload ? 1 : 2;
  const double larger = anchor.accelerators > question.accelerators ? 1 : 0;
  const auto &fusion = question.options.software.fusion, &other = anchor.options.software.fusion;
  const double fused = fusion && other && fusion != other ? 2 : 0;
  return batch + machine + version + larger + fused;
}

// The nearest runs by stack, of those that count.
template <class Counts>
std::map<std::string, double> nearest_by_stack(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors,
                                               Counts counts) {
  std::map<std::string, double> nearest;
  for (const ParsedAnchor& anchor : anchors) {
    if (network_name(anchor.workload) != network_name(question.workload) || !counts(anchor)) continue;
    const double distance = likeness_distance(question, anchor);
    const auto [entry, fresh] = nearest.emplace(anchor.options.software.stack, distance);
    if (!fresh) entry->second = std::min(entry->second, distance);
  }
  return nearest;
}

}  // namespace

std::vector<StackOnRecord> stacks_on_record(const AnchorQuestion& question, const std::vector<ParsedAnchor>& anchors,
                                            const std::string& recipe) {
  if (!question.options.software.stack.empty()) return {};
  const auto on_chip = [&](const ParsedAnchor& anchor) {
    const std::string name = accelerator_name(anchor.topology);
    return !name.empty() && (name == question.accelerator || same_speed(name, question.accelerator));
  };
  const auto own = [&](const ParsedAnchor& anchor) {
    return anchor.source.provenance == Provenance::measured && on_chip(anchor);
  };
  if (!nearest_by_stack(question, anchors, own).empty()) return {};
  const auto nearest = nearest_by_stack(question, anchors, [&](const ParsedAnchor& anchor) {
    return same_rate_on(question.accelerator, anchor.precision, question.precision) && on_chip(anchor);
  });
  std::vector<StackOnRecord> stacks;
  for (const auto& [stack, distance] : nearest) stacks.push_back({stack, distance});
  const auto missed = [](const StackOnRecord& each) { return !mlperf_round(each.stack); };
  if (mlperf_round(recipe) && !std::all_of(stacks.begin(), stacks.end(), missed)) std::erase_if(stacks, missed);
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
    const std::string base = code_base(each.stack.stack);
    const bool differ = std::any_of(steps.begin(), steps.end(),
                                    [&](const StackStep& other) { return code_base(other.stack.stack) != base; });
    return {each.stack.stack, steps.size(), differ, steps.front().step, steps.back().step};
  }
  return {};
}

}  // namespace mlsim::sim
