// A mesh planner plans collectives between the ranks of some axes of a device mesh, and finds the mesh on which a
// step's collectives are quickest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/exchange/exchange_key.hpp"
#include "sim/mesh/device_mesh.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// `StageChoices` has what was chosen for the exchanges of one stage, for stages whose groups cost the same, by kind, axes,
/// copies, stages that a transfer goes on, and payload.
using StageChoices = std::map<std::tuple<CollectiveKind, AxisSet, int, int, Bytes>, ScheduleChoice>;

/// Plans the collective `key` in all of its groups at once, which share the links: the quickest schedule by closed
/// form, or the forced one (InputError for an unknown name, Infeasible for one that cannot run here). Where one group
/// holds all ranks this is plan_collective. A transfer is a message from each rank of stage `role` to its peer in stage
/// `peer`. What is not forced is taken from, or added to, `stages`, which are of these hops and this mesh, where there
/// are any.
PlannedCollective plan_exchange(HopTable& hops, const DeviceMesh& mesh, const ExchangeKey& key, Bytes bytes,
                                const std::optional<std::string>& forced = {}, StageChoices* stages = nullptr);

/// `Traffic` is what a step says along its axes: bytes and messages per rank and step, its payloads and the largest of
/// them.
struct Traffic {
  Bytes largest;
  double count = 0;
  Bytes total;
  std::vector<Bytes> payloads{};  // each once
  auto operator<=>(const Traffic&) const = default;
};

/// Groups of ranks that lie alike say as many bytes to each other in the same time, whichever mesh has them.
struct GroupsAlike {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string footprint;   // DeviceMesh::footprint of their axes
  int role = 0, peer = 0;  // of a transfer
  int copies = 1;          // ExchangeKey::copies
  Bytes largest;           // payload that the quickest schedule is chosen for
  auto operator<=>(const GroupsAlike&) const = default;
};

/// A `MeshTable` has the hops of a cluster and what collectives take on its meshes, each found once however many
/// parallelisms are laid on it.
struct MeshTable {
  /// The cluster must outlive the table.
  MeshTable(const Cluster& cluster, const LinkEfficiency& efficiency) : hops(cluster, efficiency) {}

  HopTable hops;
  std::map<GroupsAlike, ScheduleCost> costs;
};

struct ChosenMesh {
  DeviceMesh mesh;
  Statement reason;  // "as asked", "the only way", "least time in collectives of 6 ways; worst 2.3x"
};
/// Takes `asked` as parse_mesh does; where it is empty, the one of possible_meshes with the least closed-form time of
/// `traffic`.
ChosenMesh choose_mesh(MeshTable& table, const Parallelism& parallelism, const std::map<ExchangeKey, Traffic>& traffic,
                       const std::string& asked = {});

}  // namespace mlsim::sim
