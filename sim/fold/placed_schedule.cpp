#include "sim/fold/placed_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "core/process/activity.hpp"
#include "sim/collectives/all_to_all_cost.hpp"
#include "sim/collectives/hop_table.hpp"

namespace mlsim::sim {
namespace {

// The data of each group of a phase is a share of the payload. Where a payload does not divide, pieces differ by one
// element: they are meant to be equal, and all get the mean.
std::vector<double> data_shares(const Phase& phase, std::uint64_t elements) {
  std::vector<std::size_t> order(phase.groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto size = [&](std::size_t i) { return phase.groups[i].data.size(); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
  std::vector<double> shares(order.size(), 0);
  if (elements == 0) return shares;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double sum = 0;
    while (end < order.size() && size(order[end]) <= size(order[begin]) + 1)
      sum += static_cast<double>(size(order[end++]));
    for (std::size_t i = begin; i < end; ++i)
      shares[order[i]] = sum / static_cast<double>(end - begin) / static_cast<double>(elements);
  }
  return shares;
}

std::uint64_t hash_of(const std::vector<int>& ranks) {
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a
  for (const int rank : ranks) hash = (hash ^ static_cast<std::uint64_t>(rank)) * 1099511628211u;
  return hash;
}

class Placer {
 public:
  Placer(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency)
      : schedule_(schedule), hops_(cluster, efficiency) {
    result_.ranks = static_cast<std::uint32_t>(schedule.ranks);
    result_.lanes = static_cast<std::uint32_t>(schedule.lanes.size());
    result_.capacity.resize(cluster.links());
    for (LinkIndex i = 0; i < cluster.links(); ++i) result_.capacity[i] = hops_.rate(i);
  }

  PlacedSchedule placement() {
    std::uint64_t phases = 0;
    for (const Lane& lane : schedule_.lanes) phases += lane.phases.size();
    Activity activity("looking up routes", phases);
    for (std::uint32_t lane = 0; lane < schedule_.lanes.size(); ++lane)
      for (const Phase& phase : schedule_.lanes[lane].phases) {
        add_phase(lane, phase);
        activity.advance();
      }
    return std::move(result_);
  }

 private:
  // RoutedHops remember where the hops of a group's stage have been routed, and for whom.
  struct RoutedHops {
    const PhaseGroup* group;
    const StageShape* shape;
    std::uint32_t first_hop;
  };

  void add_phase(std::uint32_t lane, const Phase& phase) {
    const std::vector<double> shares = data_shares(phase, schedule_.elements);
    std::vector<std::vector<StageShape>*> shapes;
    std::size_t stages = 0;
    check_members(phase);
    if (!phase.groups.empty() && phase.groups.front().pattern == Pattern::pairwise_all_to_all)
      return add_all_to_all(lane, phase, shares);
    for (const PhaseGroup& group : phase.groups) {
      shapes.push_back(&shapes_of(group));
      stages = std::max(stages, shapes.back()->size());
    }
    for (std::size_t s = 0; s < stages; ++s) {
      PlacedStage stage;
      stage.lane = lane;
      stage.name = stages == 1 ? phase.name : fmt::format("{}, stage {}", phase.name, s + 1);
      for (std::size_t g = 0; g < phase.groups.size(); ++g)
        if (s < shapes[g]->size()) add_groups(stage, phase.groups[g], (*shapes[g])[s], shares[g]);
      add_waits(result_, stage, Bytes(static_cast<double>(schedule_.elements)));
      result_.stages.push_back(std::move(stage));
    }
  }

  void add_all_to_all(std::uint32_t lane, const Phase& phase, const std::vector<double>& shares) {
    PlacedStage stage;
    stage.lane = lane;
    stage.name = phase.name;
    for (std::size_t g = 0; g < phase.groups.size(); ++g) {
      const PhaseGroup& group = phase.groups[g];
      const AllToAllLoad load = all_to_all_load(hops_, group.ranks);
      std::vector<StageHop>& flows = result_.link_flows.emplace_back();
      PlacedGroup placed;
      placed.first_member = static_cast<std::uint32_t>(stage.members.size());
      placed.members = static_cast<std::uint32_t>(group.ranks.size());
      for (const int rank : group.ranks) stage.members.push_back(static_cast<std::uint32_t>(rank));
      placed.first_hop = static_cast<std::uint32_t>(result_.latency.size());
      placed.hops = static_cast<std::uint32_t>(load.links.size());
      placed.share = shares[g];
      for (const auto& [link, messages] : load.links) {
        flows.push_back({0, 0, messages / static_cast<double>(group.ranks.size()), 1, 1});
        result_.links.push_back(link);
        result_.first_link.push_back(static_cast<std::uint32_t>(result_.links.size()));
        result_.latency.push_back(load.latency);
      }
      placed.shape = flows.data();
      stage.groups.push_back(placed);
    }
    result_.stages.push_back(std::move(stage));
  }

  std::vector<StageShape>& shapes_of(const PhaseGroup& group) {
    const int n = static_cast<int>(group.ranks.size());
    auto [place, fresh] = result_.shapes.try_emplace({group.pattern, n, group.chunks});
    if (fresh) place->second = stage_shapes(group.pattern, n, group.chunks);
    return place->second;
  }

  void check_members(const Phase& phase) {
    seen_.assign(result_.ranks, false);
    for (const PhaseGroup& group : phase.groups)
      for (const int rank : group.ranks) {
        if (rank < 0 || static_cast<std::uint32_t>(rank) >= result_.ranks || seen_[rank])
          throw std::logic_error(
              fmt::format("phase \"{}\" has rank {} twice, or there is no such rank", phase.name, rank));
        seen_[rank] = true;
      }
  }

  void add_groups(PlacedStage& stage, const PhaseGroup& group, const StageShape& shape, double share) {
    const std::uint32_t first_hop = routed(group, shape);
    for (std::size_t part = 0; part < shape.parts(); ++part) {
      PlacedGroup placed;
      placed.first_member = static_cast<std::uint32_t>(stage.members.size());
      placed.members = shape.first_member[part + 1] - shape.first_member[part];
      for (std::uint32_t m = shape.first_member[part]; m < shape.first_member[part + 1]; ++m)
        stage.members.push_back(static_cast<std::uint32_t>(group.ranks[shape.members[m]]));
      placed.first_hop = first_hop + shape.first_hop[part];
      placed.hops = shape.first_hop[part + 1] - shape.first_hop[part];
      placed.shape = shape.hops.data() + shape.first_hop[part];
      placed.pipeline = shape.pipeline;
      placed.share = share;
      stage.groups.push_back(placed);
    }
  }

  static bool same_ends(const StageShape& a, const StageShape& b) {
    return a.hops.size() == b.hops.size() &&
           std::equal(a.hops.begin(), a.hops.end(), b.hops.begin(),
                      [](const StageHop& x, const StageHop& y) { return x.from == y.from && x.to == y.to; });
  }

  std::uint32_t routed(const PhaseGroup& group, const StageShape& shape) {
    auto& known = routed_[hash_of(group.ranks)];
    for (const RoutedHops& hops : known)
      if ((hops.shape == &shape || same_ends(*hops.shape, shape)) && hops.group->ranks == group.ranks)
        return hops.first_hop;
    const auto first = static_cast<std::uint32_t>(result_.latency.size());
    for (const StageHop& hop : shape.hops) add_hop(group.ranks[hop.from], group.ranks[hop.to]);
    known.push_back({&group, &shape, first});
    return first;
  }

  void add_hop(int from, int to) {
    const HopTable::Hop hop = hops_.hop(from, to);
    for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i) result_.links.push_back(hops_.link(i));
    result_.first_link.push_back(static_cast<std::uint32_t>(result_.links.size()));
    result_.latency.push_back(hop.alpha);
  }

  const Schedule& schedule_;
  HopTable hops_;
  PlacedSchedule result_;
  std::vector<bool> seen_;
  std::unordered_map<std::uint64_t, std::vector<RoutedHops>> routed_;
};

}  // namespace

ProgramFlow PlacedSchedule::flow_without_links(const PlacedStage& stage, const PlacedGroup& group,
                                               std::uint32_t i) const {
  const StageHop& hop = group.shape[i];
  ProgramFlow flow;
  if (group.waits != PlacedGroup::kNone && stage.waits[group.waits + i].slow) {
    const HopTime& wait = stage.waits[group.waits + i].time;
    flow.share = group.share * hop.share * hop.own_rounds / hop.rounds;
    flow.latency = latency[group.first_hop + i] * hop.own_rounds + wait.alpha;
    flow.lead = wait.beta;
  } else {
    flow.share = group.share * hop.share;
    flow.latency = latency[group.first_hop + i] * hop.rounds;
  }
  return flow;
}

PlacedSchedule place(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency) {
  return Placer(schedule, cluster, efficiency).placement();
}

}  // namespace mlsim::sim
