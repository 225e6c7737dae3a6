// Ranks that differ: chips of unequal speed, steps of unequal length, input that comes late.
#pragma once

#include <cstdint>
#include <vector>

#include "core/settings.hpp"
#include "sim/namespace.hpp"
#include "sim/stragglers/input_skew.hpp"
#include "sim/stragglers/jitter.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

/// What `--set speed_spread=, jitter=, input_skew=, straggler_steps=` ask for.
struct StragglerModel {
  double speed_spread = 0;  // standard deviation of the chips' speed, as a share of its mean; drawn once
  Jitter jitter;            // factor on each rank's compute time, drawn for each step
  InputSkew input_skew;     // delay of each host's input, drawn for each step
  int steps = 200;
  std::uint64_t seed = 0;
  bool random() const;  // something is drawn
};

/// Throws InputError as parse_jitter and parse_input_skew do.
StragglerModel straggler_model(const Settings& settings, std::uint64_t seed);

/// One rank in one step.
struct RankDelay {
  double slowdown = 1;  // factor on its kernels' time
  Seconds input;        // delay of its host's input
};

/// The ranks of a cluster, step by step. The known slow ranks of the cluster are slow on top.
class RankDelays {
 public:
  RankDelays(const StragglerModel& model, const Cluster& cluster);
  std::vector<RankDelay> of_step(int step) const;

 private:
  StragglerModel model_;
  std::vector<double> chip_;  // slowdown of each rank's chip, whatever the step
  std::vector<std::int32_t> host_;
};

}  // namespace mlsim::sim
