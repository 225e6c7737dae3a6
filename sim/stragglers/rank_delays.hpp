// Ranks differ by drawn delays: chips of unequal speed, steps of unequal length, input that comes late.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/stragglers/straggler_options.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A number is drawn for the speed of a chip, the jitter of a rank in a step, or the delay of a host's input.
enum class DrawFor : std::uint64_t { chip_speed = 1, jitter = 2, input = 3 };

/// draw() makes random numbers that depend on their purpose, not on the order in which they are asked for.
/// The number is uniform in (0, 1), never either end. The same rank of the same step gets the same number in a larger
/// cluster, or beside other settings: two answers differ by what was changed, not by luck.
double draw(std::uint64_t seed, DrawFor purpose, std::uint64_t step, std::uint64_t index);

/// A `RankDelay` is of one rank in one step.
struct RankDelay {
  double slowdown = 1;  // of its kernels
  Seconds input;        // by which its host's input comes late
};

/// RankDelays are of the ranks of a cluster, step by step. The known slow ranks of the cluster are slow on top.
class RankDelays {
 public:
  RankDelays(const StragglerOptions& options, std::uint64_t seed, const Cluster& cluster);
  std::vector<RankDelay> of_step(int step) const;

 private:
  StragglerOptions options_;
  std::uint64_t seed_;
  std::vector<double> chip_;  // slowdown of each rank's chip, whatever the step
  std::vector<std::int32_t> host_;
};

}  // namespace mlsim::sim
