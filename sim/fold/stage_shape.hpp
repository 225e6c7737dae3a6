// A `StageShape` is what the flows of one stage of a collective pattern look like, before any rank or link is known.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/collectives/schedule.hpp"
#include "sim/namespace.hpp"

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

}  // namespace mlsim::sim
