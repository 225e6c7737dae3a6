#include "sim/stragglers/closed_steps.hpp"

#include <algorithm>

namespace mlsim::sim {

ClosedSteps::ClosedSteps(const StepOrder& order, const std::vector<Seconds>& duration, int ranks,
                         const std::vector<int>& roles, const Groups& groups)
    : members_(1), place_(static_cast<std::size_t>(ranks)) {
  for (int rank = 0; rank < ranks; ++rank) {
    const auto role = static_cast<std::size_t>(roles.empty() ? 0 : roles[rank]);
    if (role >= members_.size()) members_.resize(role + 1);
    place_[rank] = static_cast<std::uint32_t>(members_[role].size());
    members_[role].push_back(rank);
  }
  cut(order, duration);
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].what != What::work) join_groups(segments_[i], axes_[i], groups);
  }
}

void ClosedSteps::cut(const StepOrder& order, const std::vector<Seconds>& duration) {
  std::vector<std::vector<std::size_t>> before;  // of its own stream the one before stands for all earlier ones
  for (std::size_t v = 0; v < order.size(); ++v) before.push_back(order.nearest_predecessors(v));
  std::vector<bool> seen_elsewhere(before.size());  // something other than the next of its stream waits for its end
  std::vector<int> followers(before.size());
  for (std::size_t v = 0; v < before.size(); ++v) {
    for (const std::size_t u : before[v]) seen_elsewhere[u] = ++followers[u] > 1;
  }
  std::vector<std::uint32_t> segment_of(before.size());
  for (std::size_t v = 0; v < before.size(); ++v) {
    const StepNode& node = order.node(v);
    const bool work = is_compute(node) || node.kind == NodeKind::host_work;
    const bool input = node.kind == NodeKind::host_work && node.part == StepPart::input;
    const bool goes_on = work && !input && before[v].size() == 1 && !seen_elsewhere[before[v].front()] &&
                         segments_[segment_of[before[v].front()]].what == What::work &&
                         segments_[segment_of[before[v].front()]].role == node.role;
    if (goes_on) {
      segment_of[v] = segment_of[before[v].front()];
    } else {
      StepSegment segment;
      segment.what = work ? What::work : node.kind == NodeKind::transfer ? What::transfer : What::collective;
      segment.role = node.role;
      segment.peer = node.peer;
      segment.input = input;
      for (const std::size_t u : before[v]) segment.after.push_back(segment_of[u]);
      segment_of[v] = static_cast<std::uint32_t>(segments_.size());
      segments_.push_back(std::move(segment));
      axes_.push_back(node.axes);
    }
    StepSegment& segment = segments_[segment_of[v]];
    (is_compute(node) ? segment.kernels : segment.fixed) += duration[v].value;
  }
}

void ClosedSteps::join_groups(StepSegment& segment, AxisSet axes, const Groups& groups) {
  const bool transfer = segment.what == What::transfer;
  const auto [found, fresh] =
      tables_.try_emplace({transfer ? AxisSet(Axis::pipeline) : axes, segment.role, transfer ? segment.peer : -1});
  GroupTable& table = found->second;
  if (fresh) {
    table.of_place.resize(members_[segment.role].size());
    for (const auto& group : groups(found->first.axes, transfer ? -1 : segment.role)) {
      if (transfer) {
        const auto from = static_cast<std::size_t>(group[segment.role]);
        const auto to = static_cast<std::size_t>(group[segment.peer]);
        table.of_place[place_[from]] = place_[to];
      } else {
        for (const int rank : group) table.of_place[place_[rank]] = table.count;
      }
      ++table.count;
    }
  }
  segment.group = &table.of_place;
  segment.groups = table.count;
}

Seconds ClosedSteps::end(const std::vector<RankDelay>& ranks) const {
  std::vector<std::vector<double>> end(
      segments_.size());  // by place in the role; of a transfer in that of its receiver
  std::vector<double> last_of_group;
  double last = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const StepSegment& segment = segments_[i];
    const auto& members = members_[segment.role];
    std::vector<double> at(members.size(), 0.0);
    for (const std::uint32_t u : segment.after) {
      for (std::size_t m = 0; m < at.size(); ++m) at[m] = std::max(at[m], end[u][m]);
    }
    if (segment.what == What::work) {
      for (std::size_t m = 0; m < at.size(); ++m) {
        const RankDelay& rank = ranks[members[m]];
        at[m] += segment.kernels * rank.slowdown + segment.fixed + (segment.input ? rank.input.value : 0);
      }
    } else if (segment.what == What::collective) {
      last_of_group.assign(segment.groups, 0.0);
      for (std::size_t m = 0; m < at.size(); ++m) {
        double& joined = last_of_group[(*segment.group)[m]];
        joined = std::max(joined, at[m]);
      }
      for (std::size_t m = 0; m < at.size(); ++m) at[m] = last_of_group[(*segment.group)[m]] + segment.fixed;
    } else {
      std::vector<double> received(members_[segment.peer].size());
      for (std::size_t m = 0; m < at.size(); ++m) received[(*segment.group)[m]] = at[m] + segment.fixed;
      at = std::move(received);
    }
    for (const double each : at) last = std::max(last, each);
    end[i] = std::move(at);
  }
  return Seconds(last);
}

Seconds ClosedSteps::end_of_slowest(double slowdown) const {
  std::vector<double> end(segments_.size());
  double last = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    for (const std::uint32_t u : segments_[i].after) end[i] = std::max(end[i], end[u]);
    end[i] += segments_[i].kernels * slowdown + segments_[i].fixed;
    last = std::max(last, end[i]);
  }
  return Seconds(last);
}

}  // namespace mlsim::sim
