#include "sim/engine/message_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/text/errors.hpp"
#include "sim/engine/simgrid_module.hpp"
#include "topologies/cluster/route.hpp"

namespace mlsim::sim {
namespace {

constexpr std::size_t kMostActors = 30000;  // each has a stack and a guard page; Linux maps 65530 areas for a process

}  // namespace

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

MessageRun run_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency, Bytes bytes,
                        const std::vector<Seconds>& arrival) {
  const std::size_t actors = schedule.lanes.size() * static_cast<std::size_t>(schedule.ranks);
  if (actors > kMostActors)
    throw InputError("--set engine=simgrid",
                     fmt::format("keeps an actor for each rank and lane, here {}, and at most {} can be had; "
                                 "engine=max-min has none",
                                 actors, kMostActors));
  const MessageRoutes routes = message_routes(schedule, cluster, efficiency);
  return simgrid_module().run_messages(schedule, cluster, efficiency, routes, bytes, arrival);
}

}  // namespace mlsim::sim
