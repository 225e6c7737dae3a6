#include "sim/mesh/mesh_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/mesh/mesh_mapping.hpp"

namespace mlsim::sim {

namespace {

bool is_transfer(const ExchangeKey& key) { return key.axes.empty(); }

// A collective that does not go through the stages runs in a stage's own groups.
int only_role(const DeviceMesh& mesh, const ExchangeKey& key) {
  return mesh.parallelism()[Axis::pipeline] > 1 && !key.axes.has(Axis::pipeline) ? key.role : -1;
}

RankLayout transfer_layout(const Cluster& cluster, const DeviceMesh& mesh, const ExchangeKey& key) {
  RankLayout layout;
  layout.cluster = &cluster;
  layout.whole = false;
  layout.shape = {{2}};
  for (const auto& stages : mesh.groups(Axis::pipeline))
    layout.groups.push_back({stages.at(key.role), stages.at(key.peer)});
  return layout;
}

// Formulas cannot tell times this near apart, so that the more usual mesh, which comes earlier, is taken.
constexpr double kMeshMargin = 1.05;

// A `MeshCosts` gives what a step's collectives take on one mesh after another; axes that lie alike on two of them are
// planned once.
class MeshCosts {
 public:
  MeshCosts(MeshTable& table, const std::map<ExchangeKey, Traffic>& traffic) : table_(table), traffic_(traffic) {}

  Seconds time(const DeviceMesh& mesh) {
    Seconds sum;
    for (const auto& [key, said] : traffic_) {
      if (said.count <= 0) continue;
      sum += said.count * cost(mesh, key, said.largest).time(said.total / said.count);
    }
    return sum;
  }

 private:
  using Alike = std::tuple<CollectiveKind, std::string, int, int>;

  // The groups of all stages at once stand for those of each, which lie alike, as do transfers over as many stages. What
  // is gathered takes the way back of what is scattered.
  const ScheduleCost& cost(const DeviceMesh& mesh, const ExchangeKey& key, Bytes largest) {
    const bool transfer = is_transfer(key);
    const auto kind = key.kind == CollectiveKind::all_gather ? CollectiveKind::reduce_scatter : key.kind;
    const Alike alike{kind, mesh.footprint(transfer ? AxisSet(Axis::pipeline) : key.axes),
                      transfer ? key.peer - key.role : 0, key.copies};
    const auto [known, fresh] = known_.try_emplace(alike);
    if (fresh)
      known->second = &cost_of_groups(mesh, key, {kind, std::get<std::string>(alike), 0, 0, key.copies, largest});
    return *known->second;
  }

  const ScheduleCost& cost_of_groups(const DeviceMesh& mesh, const ExchangeKey& key, GroupsAlike alike) {
    const bool transfer = is_transfer(key);
    if (transfer) std::tie(alike.role, alike.peer) = std::pair(key.role, key.peer);
    if (const auto known = table_.costs.find(alike); known != table_.costs.end()) return known->second;
    const Cluster& cluster = table_.hops.cluster();
    const RankLayout layout = transfer ? transfer_layout(cluster, mesh, key) : mesh.layout(cluster, key.axes);
    ScheduleCost cost =
        plan_in_groups(layout, alike.kind, alike.largest, table_.hops, {}, Search::quick, alike.copies).cost;
    return table_.costs.emplace(std::move(alike), std::move(cost)).first->second;
  }

  MeshTable& table_;
  const std::map<ExchangeKey, Traffic>& traffic_;
  std::map<Alike, const ScheduleCost*> known_;  // of `table_`
};

Statement choice_reason(const std::vector<Seconds>& times, std::size_t chosen) {
  const Seconds worst = *std::max_element(times.begin(), times.end());
  const Seconds best = *std::min_element(times.begin(), times.end());
  if (worst <= Seconds(0)) return "the usual way; nothing is exchanged";
  const bool plainest = times[chosen] > best || worst <= kMeshMargin * best;
  const double factor = worst / times[chosen];
  return {
      plainest ? "the most usual of those with about the least time in collectives" : "the least time in collectives",
      " of ", named("ways", static_cast<int>(times.size())), " ways; the worst would take ",
      NamedQuantity{"worst_takes", "1", factor, fmt::format("{:.2f}x", factor)}};
}

}  // namespace

PlannedCollective plan_exchange(HopTable& hops, const DeviceMesh& mesh, const ExchangeKey& key, Bytes bytes,
                                const std::optional<std::string>& forced, StageChoices* stages) {
  const Cluster& cluster = hops.cluster();
  const RankLayout layout =
      is_transfer(key) ? transfer_layout(cluster, mesh, key) : mesh.layout(cluster, key.axes, only_role(mesh, key));
  const bool shared = stages != nullptr && !forced && !layout.whole;
  const StageChoices::key_type alike{key.kind, key.axes, key.copies, is_transfer(key) ? key.peer - key.role : 0, bytes};
  if (shared)
    if (const auto known = stages->find(alike); known != stages->end())
      if (auto same = plan_alike(layout, key.kind, bytes, hops, key.copies, known->second)) return std::move(*same);
  PlannedCollective planned = plan_in_groups(layout.whole ? whole_layout(cluster) : layout, key.kind, bytes, hops,
                                             forced, Search::all, key.copies);
  if (shared) stages->try_emplace(alike, ScheduleChoice{planned.schedule.algorithm, planned.reason, planned.cost});
  return planned;
}

ChosenMesh choose_mesh(MeshTable& table, const Parallelism& parallelism, const std::map<ExchangeKey, Traffic>& traffic,
                       const std::string& asked) {
  const Cluster& cluster = table.hops.cluster();
  if (!asked.empty()) return {parse_mesh(cluster, parallelism, asked), "as asked"};
  std::vector<DeviceMesh> meshes = possible_meshes(cluster, parallelism);
  if (meshes.size() == 1) return {std::move(meshes.front()), "the only way"};
  MeshCosts costs(table, traffic);
  std::vector<Seconds> times;
  for (const DeviceMesh& mesh : meshes) times.push_back(costs.time(mesh));
  const Seconds limit = kMeshMargin * *std::min_element(times.begin(), times.end());
  const std::size_t chosen =
      std::find_if(times.begin(), times.end(), [&](Seconds time) { return time <= limit; }) - times.begin();
  return {std::move(meshes[chosen]), choice_reason(times, chosen)};
}

}  // namespace mlsim::sim
