// A `Schedule` is a collective algorithm as data: which rank sends which part of the payload to whom, in which round.
//
// The same schedule is executed symbolically (tests/oracles/symbolic.hpp), costed in closed form (schedule_cost.hpp)
// and simulated (sim/fold, sim/engine). It is stored compactly, as groups that run a pattern; single sends are
// generated on demand, so that an all-reduce on 4096 ranks takes kilobytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `Segment` is a half-open range of payload elements.
struct Segment {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const Segment&) const = default;
};

/// Gives piece i of n of a range; sizes differ by at most one element.
Segment piece(Segment range, std::uint64_t i, std::uint64_t n);

/// A `Pattern` says what the members of one group do, by position in the group. Rings and lines run in order of
/// position.
enum class Pattern {
  ring_reduce_scatter,  // n-1 rounds to the next position; position p ends owning piece p
  ring_all_gather,      // n-1 rounds to the next position; starts from piece p at position p
  ring_all_reduce,      // the two above, 2(n-1) rounds
  line_reduce_scatter,  // no wrap: partial sums run both ways along the line, n-1 rounds
  line_all_gather,
  line_all_reduce,
  halving_reduce_scatter,  // recursive halving, power-of-two part; extra ranks fold in first
  doubling_all_gather,
  halving_doubling_all_reduce,
  tree_all_reduce,  // pipelined reduce to the root and broadcast back, `chunks` chunks
  chain_broadcast,  // pipelined along the positions from position 0, `chunks` chunks
  tree_broadcast,
  pairwise_all_to_all,  // one round, a message to every other position
  neighbour_exchange,   // one round, both neighbours (halo)
  point_to_point,       // position 0 to position 1
};

/// The ranks of a group run one pattern on one part of the payload.
struct PhaseGroup {
  Pattern pattern = Pattern::ring_all_reduce;
  std::vector<int> ranks;  // by position
  Segment data;
  int chunks = 1;  // pipelining of tree and chain patterns
};

/// The groups of a phase run side by side. A group starts when all its members have ended the phase before it in their
/// lane.
struct Phase {
  std::string name;  // "reduce-scatter along Y"
  std::vector<PhaseGroup> groups;
};

/// The phases of a lane run one after another. Lanes run side by side on disjoint parts of the payload.
struct Lane {
  std::vector<Phase> phases;
};

struct Schedule {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string algorithm;       // "torus-2d"
  int ranks = 1;               // of the cluster
  std::uint64_t elements = 0;  // of each rank
  std::vector<Lane> lanes;
  /// The schedule runs among these ranks, each group for itself; ranks in none take no part. Empty means one group of
  /// all.
  std::vector<std::vector<int>> groups;
};

/// A `Send` is one message between positions of a group.
struct Send {
  int from = 0, to = 0;
  Segment data;
  bool reduce = false;  // added to what the receiver has, else replaces it
};

/// A flow is what one member sends to one neighbour in a stage, taken together: on a hop with cost alpha + bytes /
/// bandwidth it takes rounds * alpha + elements / bandwidth. Rounds in which the hop waits for others (ends of a line,
/// filling of a pipeline) are counted as if a message passed, so that all hops of a stage end together.
struct NeighbourFlow {
  int from = 0, to = 0;  // positions
  double elements = 0;   // not rounded to whole elements
  int rounds = 0;
};

/// Counts the rounds of the pattern: a member starts round k when its own sends and receives of the rounds before have
/// ended.
int round_count(const PhaseGroup& group);
/// Gives the sends of one position in round k in O(log positions), of an all-to-all in O(positions).
std::vector<Send> position_sends(const PhaseGroup& group, int position, int round);
/// Gives the sends of round k that arrive at one position in O(log positions); position_sends gives the same values.
std::vector<Send> position_receives(const PhaseGroup& group, int position, int round);

/// Stages of a pattern run one after another, the flows of a stage side by side: 1 except for recursive halving and
/// doubling, where each round has other partners.
int stage_count(const PhaseGroup& group);
std::vector<NeighbourFlow> stage_flows(const PhaseGroup& group, int stage);

inline constexpr std::uint32_t kNoGroup = ~0u;

/// A `GroupPlace` says where a rank stands in a phase; kNoGroup where it takes no part.
struct GroupPlace {
  std::uint32_t group = kNoGroup;
  int position = 0;
};

/// Returns places[phase][rank].
std::vector<std::vector<GroupPlace>> group_places(const Lane& lane, std::size_t ranks);

}  // namespace mlsim::sim
