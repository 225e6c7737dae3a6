#include "replay/validation/collective_price.hpp"

#include <utility>

#include "sim/collectives/nccl/nccl_planner.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/mesh/communicator.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::replay {
namespace {

constexpr Bytes kElement{4};  // of one number; a library that adds up on the host goes by it

// Lays the groups out as rows of a node's ranks and columns over nodes.
RankLayout layout_of(const Cluster& cluster, std::vector<std::vector<int>> groups) {
  RankLayout layout;
  layout.cluster = &cluster;
  layout.shape = shape_on_nodes(cluster, groups.front());
  layout.whole = groups.size() == 1 && static_cast<int>(groups.front().size()) == cluster.ranks();
  layout.groups = std::move(groups);
  return layout;
}

}  // namespace

CollectivePricer::CollectivePricer(const std::string& topology, int ranks, const Options& options,
                                   const SharedList<Profile>& profiles)
    : topology_(topology), options_(options), profiles_(profiles), cluster_(build_cluster(topology, ranks)) {}

std::optional<CollectivePrice> CollectivePricer::price(const RecordedCollective& what, const RankGroups& groups) {
  if (!what.payload || what.kind == CollectiveKind::send_receive || !groups.divides(what.group_size)) return {};
  const int size = groups.group_size(what.group_size);
  if (size == 1) return CollectivePrice{Seconds(0), "a single rank"};
  const Known key{what.kind, what.payload->value, size};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const bool of_a_node = size == cluster_.accelerators_per_node && groups.members(0, size).back() == size - 1;
  return known_[key] = size == cluster_.ranks() || of_a_node ? whole(what.kind, *what.payload, size)
                                                             : in_groups(what.kind, *what.payload, groups.all(size));
}

// All-reduces of NCCL have a structure of their own, with constants fitted to published sweeps.
CollectivePrice CollectivePricer::whole(CollectiveKind kind, Bytes payload, int ranks) const {
  const Cluster part = build_cluster(topology_, ranks);
  const MeasuredCollectives known(part, refs_to(profiles_));
  const std::string library = communicator(part, options_.exchange.communicator);
  if (const auto measured = known.of(kind, library, kElement)) return {measured->time(payload), measured->how.text};
  const LinkEfficiency links = communicator_links(part, options_.exchange.communicator, kElement, known);
  const NcclRequest chosen{true, options_.exchange.protocol, options_.exchange.algorithm};
  const PlannedCollective plan = described_nccl_system(part)
                                     ? plan_with_nccl(part, kind, payload, links, chosen)
                                     : plan_collective(part, kind, payload, links, options_.exchange.algorithm);
  return {plan.closed_form, plan.schedule.algorithm};
}

CollectivePrice CollectivePricer::in_groups(CollectiveKind kind, Bytes payload,
                                            std::vector<std::vector<int>> groups) const {
  const MeasuredCollectives known(cluster_, refs_to(profiles_));
  const LinkEfficiency links = communicator_links(cluster_, options_.exchange.communicator, kElement, known);
  HopTable hops(cluster_, links);
  const PlannedCollective plan =
      plan_in_groups(layout_of(cluster_, std::move(groups)), kind, payload, hops, options_.exchange.algorithm);
  return {plan.closed_form, plan.schedule.algorithm};
}

}  // namespace mlsim::replay
