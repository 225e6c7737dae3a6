// Colour refinement finds which ranks, links, flows and groups of a placed schedule play the same part.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fold/placed_schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A colour stands for all that has been seen of a thing and its surroundings; equal colours mean the same class. They
/// are 64-bit hashes: with a million things, two unequal ones fall together once in 10^7 schedules.
using Colour = std::uint64_t;

struct Refinement {
  std::vector<Colour> rank, link;
  std::vector<std::vector<Colour>> group;  // by stage
  std::vector<Colour> hop;                 // a hop's latency and the multiset of its links' colours
  std::size_t rounds = 0;

  /// Returns the colour of a flow among those of its group: its figures and its links.
  Colour flow_in_group(const PlacedSchedule& placement, const PlacedStage& stage, const PlacedGroup& group,
                       std::uint32_t i) const;
  /// Returns the colour of a flow among all flows: as above, and its group.
  Colour flow(const PlacedSchedule& placement, std::size_t stage, std::size_t group, std::uint32_t i) const;
};

/// Finds the coarsest classes in which
///  - links of a class have one capacity and carry equally many flows of each class of each stage,
///  - flows of a class have one size and latency, and cross equally many links of each class,
///  - groups of a class have equally many flows and members of each class,
///  - ranks of a class started in one class of `initial` and are in groups of the same classes in every stage,
/// and finds them as the fixpoint of refining each by the others (1-dimensional Weisfeiler-Leman). Max-min shares are
/// unique, so all of a class then begin and end together, whatever else of the same program runs beside it. O(rounds x
/// flows x links of a flow); a regular system takes two rounds.
Refinement refine(const PlacedSchedule& placement, const std::vector<std::uint32_t>& initial);

}  // namespace mlsim::sim
