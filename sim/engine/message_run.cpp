#include "sim/engine/message_run.hpp"
#include "topologies/cluster/route.hpp"

#include <utility>

namespace mlsim::sim {

std::vector<std::vector<GroupPlace>> group_places(const Lane& lane, std::size_t ranks) {
  std::vector<std::vector<GroupPlace>> places;
  for (const Phase& phase : lane.phases) {
    places.emplace_back(ranks);
    for (std::uint32_t g = 0; g < phase.groups.size(); ++g)
      for (std::size_t p = 0; p < phase.groups[g].ranks.size(); ++p)
        places.back()[phase.groups[g].ranks[p]] = {g, static_cast<int>(p)};
  }
  return places;
}

std::uint64_t pair_key(const Schedule& schedule, int from, int to) {
  return static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(schedule.ranks) + static_cast<std::uint64_t>(to);
}

MessageRoutes message_routes(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency) {
  MessageRoutes routes;
  for_each_neighbour_pair(schedule, [&](std::uint32_t, int from, int to) {
    const auto [place, fresh] = routes.try_emplace(pair_key(schedule, from, to));
    if (!fresh) return;
    Route found = route(cluster, from, to);
    Seconds software;
    for (const LinkIndex l : found.links) software = max(software, efficiency[cluster.link(l).kind].message);
    place->second = {from, to, std::move(found.links), found.latency + software};
  });
  return routes;
}

}  // namespace mlsim::sim
