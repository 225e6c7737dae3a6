#include "sim/step/shown_class.hpp"

#include <algorithm>
#include <map>

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

}  // namespace

std::uint32_t shown_class(const StepSchedule& schedule, const std::vector<RankClass>& classes) {
  const int role = busiest_role(schedule);
  const auto speed = [&](const RankClass& each) { return each.role == role ? each.speed : 0; };
  const auto shown = std::max_element(classes.begin(), classes.end(),
                                      [&](const RankClass& a, const RankClass& b) { return speed(a) < speed(b); });
  return static_cast<std::uint32_t>(shown - classes.begin());
}

}  // namespace mlsim::sim
