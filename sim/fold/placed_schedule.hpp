// A `PlacedSchedule` lies on a cluster: the groups of each stage with the routes of their hops, stored compactly.
//
// Both programs (flow_program.hpp) are made from it. Hops of groups with the same ranks are routed once, and figures
// that depend on positions only are stored once for each shape, so that 65,536 ranks take megabytes. The n^2 messages
// of an all-to-all become one flow over each link: the busiest one ends last, as it does where each message shares it
// fairly.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A `StageHop` is all messages from one position to another in a stage.
struct StageHop {
  std::uint32_t from = 0, to = 0;  // positions
  double share = 0;                // elements / elements of the group's data, as if a message passed in every round
  std::uint32_t rounds = 0;
  std::uint32_t own_rounds = 0;  // those in which a message does pass; in the others the hop waits for other hops
};

/// A `Pipeline` says which hops a hop waits for in its idle rounds.
enum class Pipeline {
  none,         // it has no idle rounds
  line_reduce,  // those before it in its direction
  line_gather,  // those after it in its direction
  tree,         // those before and after it between the leaves and position 0
};

/// Parts start by themselves: pairs of recursive halving are parts; a ring, line or tree is one part. Hops and members
/// stand part by part; part i has those from first_x[i] to first_x[i + 1] - 1.
struct StageShape {
  Pipeline pipeline = Pipeline::none;
  std::vector<StageHop> hops;
  std::vector<std::uint32_t> first_hop;
  std::vector<std::uint32_t> members;  // positions
  std::vector<std::uint32_t> first_member;

  std::size_t parts() const { return first_hop.size() - 1; }
};

/// Lists a pattern's stages on `positions` positions, with sizes not rounded to elements; a single position has none.
std::vector<StageShape> stage_shapes(Pattern pattern, int positions, int chunks);

/// A `HopTime` is the time of a message or of a wait: seconds, and seconds per byte of the collective's payload.
struct HopTime {
  Seconds alpha;
  SecondsPerByte beta;
  bool operator==(const HopTime&) const = default;
  HopTime& operator+=(const HopTime& o) {
    alpha += o.alpha;
    beta += o.beta;
    return *this;
  }
  Seconds of(Bytes payload) const { return alpha + beta * payload; }
};

struct PlacedGroup {
  static constexpr std::uint32_t kNone = ~0u;
  std::uint32_t first_member = 0, members = 0;  // in PlacedStage::members
  std::uint32_t first_hop = 0, hops = 0;        // in PlacedSchedule
  const StageHop* shape = nullptr;              // `hops` of them
  Pipeline pipeline = Pipeline::none;
  double share = 0;             // share of its data in the payload
  std::uint32_t waits = kNone;  // in PlacedStage::waits, one for each hop; kNone: all hops keep pace
};

/// A `PlacedStage` is one stage of one phase of a lane. Ranks in no group here go straight on to the next stage.
struct PlacedStage {
  std::uint32_t lane = 0;
  std::string name;
  std::vector<PlacedGroup> groups;
  std::vector<std::uint32_t> members;  // ranks
  struct Wait {
    bool slow = false;  // slower than its group's quickest hop
    HopTime time;       // time of the hops that it then waits for
  };
  std::vector<Wait> waits;

  std::span<const std::uint32_t> members_of(const PlacedGroup& group) const {
    return {members.data() + group.first_member, group.members};
  }
};

struct PlacedSchedule {
  std::uint32_t ranks = 0, lanes = 0;
  std::vector<PlacedStage> stages;  // lane by lane, in order
  std::vector<BytesPerSecond> capacity;
  std::vector<std::uint32_t> first_link{0}, links;  // links of hop h: first_link[h] .. first_link[h + 1] - 1
  std::vector<Seconds> latency;                     // latency of one message over hop h
  // PlacedGroup::shape points into these: the shapes of patterns, and the flows of each all-to-all, one for each link.
  std::map<std::tuple<Pattern, int, int>, std::vector<StageShape>> shapes;
  std::deque<std::vector<StageHop>> link_flows;

  std::span<const std::uint32_t> links_of(std::uint32_t hop) const {
    return {links.data() + first_link[hop], first_link[hop + 1] - first_link[hop]};
  }
  /// Returns share, latency and lead of hop i of a group; its links are links_of(group.first_hop + i).
  ProgramFlow flow_without_links(const PlacedStage& stage, const PlacedGroup& group, std::uint32_t i) const;
};

/// Throws Infeasible where two ranks have no route.
PlacedSchedule place(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency);

/// Fills `waits` of the groups of a stage that have hops slower than their quickest one.
///
/// A pipeline of hops with times t_h moves m messages in sum(t_h) + (m - 1) max(t_h): the slowest hop's own m messages
/// after the others' first one. So a slow hop is a flow of its own messages that waits for the chain of hops around it,
/// and the others, which keep pace, are flows over all rounds that end together. `payload` decides which of two chains
/// is longer. A link that several hops of the stage cross counts with all their bytes.
void add_waits(const PlacedSchedule& placement, PlacedStage& stage, Bytes payload);

}  // namespace mlsim::sim
