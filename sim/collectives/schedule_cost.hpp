// A `ScheduleCost` is the closed form of a schedule on the links of a cluster, for any payload.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The slowest hop of each phase and stage counts, where a hop takes rounds * alpha + load / rate of its most loaded
/// link; the load of a link is what all flows of the phase, in all lanes, move over it. Phases of a lane add up; the
/// slowest lane counts. Lanes are taken to pass their phases in step: where they do not (torus-2d-both and torus-3d
/// on oblong grids) the time is too short, by 8 to 18 % on 6x4 to 16x4 and by 3 to 34 % on 12x12x24 to a mesh of 2x4x8
/// against the simulation. An all-to-all takes the alphas of
/// one rank's messages one after another and the load of all at once. It is built in O(hops) and evaluated in
/// O(distinct hop costs).
class ScheduleCost {
 public:
  ScheduleCost(const Schedule& schedule, HopTable& hops);

  /// Gives the time for a payload of `bytes`, to which the schedule's elements are scaled.
  Seconds time(Bytes bytes) const;

  /// Finds the number of chunks that makes the pipelined trees and chains of the schedule quickest, given that the
  /// schedule was built with one chunk; 1 where it has none. sqrt(h S beta / alpha) for (k + h)(alpha + S/k beta).
  int best_chunks(Bytes bytes) const;

  bool operator==(const ScheduleCost&) const = default;

 private:
  struct Cost {
    double seconds = 0, seconds_per_element = 0;
    bool operator==(const Cost&) const = default;
  };
  struct Stage {
    std::vector<Cost> costs;  // distinct
    int fill = 0;             // rounds of a pipeline beyond its chunks
    bool operator==(const Stage&) const = default;
  };

  Cost slowest(const Stage& stage, double scale) const;
  double scale(Bytes bytes) const;

  std::uint64_t elements_;
  std::vector<std::vector<Stage>> lanes_;

  class Builder;
};

}  // namespace mlsim::sim
