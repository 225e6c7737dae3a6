#include "sim/step/rank_classes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mlsim::sim {
namespace {

int busiest_role(const StepSchedule& schedule) {
  std::map<int, Seconds> busy;
  for (std::size_t v = 0; v < schedule.size(); ++v) {
    const StepNode& node = schedule.node(v);
    if (node.stream == Stream::compute) busy[node.role] += schedule.duration(v, 1);
  }
  const auto most =
      std::max_element(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == busy.end() ? 0 : most->first;
}

RankClass class_of(const StepInputs& inputs, int rank) {
  const int role = inputs.roles.empty() ? 0 : inputs.roles[rank];
  return {inputs.cluster->speed(rank), role, 0};
}

// Apparent classes differ by speed and role.
std::vector<std::uint32_t> apparent_classes(const StepInputs& inputs) {
  std::map<std::pair<double, int>, std::uint32_t> number;
  std::vector<std::uint32_t> classes(inputs.cluster->ranks());
  for (int rank = 0; rank < inputs.cluster->ranks(); ++rank) {
    const auto next = static_cast<std::uint32_t>(number.size());
    const RankClass each = class_of(inputs, rank);
    classes[rank] = number.try_emplace({each.speed, each.role}, next).first->second;
  }
  return classes;
}

std::uint32_t count(const std::vector<std::uint32_t>& classes) {
  return classes.empty() ? 0 : 1 + *std::max_element(classes.begin(), classes.end());
}

void describe(RankClasses& result, const StepInputs& inputs, const std::vector<std::uint32_t>& classes) {
  result.classes.assign(count(classes), {});
  std::vector<std::uint32_t> size(result.classes.size());
  for (int rank = 0; rank < inputs.cluster->ranks(); ++rank) {
    const auto c = classes[rank];
    if (size[c]++ == 0) result.classes[c] = class_of(inputs, rank);
  }
  for (std::size_t c = 0; c < size.size(); ++c) result.classes[c].size = size[c];
}

RankClasses unfolded(const StepInputs& inputs, bool programs) {
  RankClasses result;
  std::vector<std::uint32_t> own(inputs.cluster->ranks());
  std::iota(own.begin(), own.end(), 0U);
  describe(result, inputs, own);
  if (programs) {
    for (const auto& [key, plan] : *inputs.plans) {
      if (auto program = plan.flows(*inputs.cluster, inputs.efficiency)) result.programs[key] = *std::move(program);
    }
  }
  return result;
}

}  // namespace

std::uint32_t shown_class(const StepSchedule& schedule, const std::vector<RankClass>& classes) {
  const int role = busiest_role(schedule);
  const auto speed = [&](const RankClass& each) { return each.role == role ? each.speed : 0; };
  const auto shown = std::max_element(classes.begin(), classes.end(),
                                      [&](const RankClass& a, const RankClass& b) { return speed(a) < speed(b); });
  return static_cast<std::uint32_t>(shown - classes.begin());
}

RankClasses rank_classes(const StepInputs& inputs) {
  if (inputs.fidelity == Fidelity::fluid) return unfolded(inputs, true);
  if (inputs.fidelity == Fidelity::message) return unfolded(inputs, false);

  RankClasses result;
  std::vector<std::uint32_t> classes = apparent_classes(inputs);
  if (inputs.fidelity == Fidelity::folded) {
    // Each program only splits classes, and numbers them by their first rank; they are common to all programs once a
    // round over all splits none.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [key, plan] : *inputs.plans) {
        auto flows = plan.folded_flows(*inputs.cluster, inputs.efficiency, classes);
        if (!flows) continue;
        if (!flows->folded) return unfolded(inputs, true);
        changed = changed || (count(flows->rank_class) != count(classes) && inputs.plans->size() > 1);
        classes = std::move(flows->rank_class);
        result.programs[key] = std::move(flows->program);
      }
    }
  }
  describe(result, inputs, classes);
  return result;
}

}  // namespace mlsim::sim
