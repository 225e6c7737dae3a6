// simulate_step() runs one training step: the step graph on every class of ranks, with the collectives on the links.
//
// Kernels and host work have known lengths, so their times follow from their predecessors without events; only
// collectives, which share links, go through the flow network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/exchange/planned_exchange.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/step/timeline.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

struct StepInputs {
  const StepGraph* graph = nullptr;
  const Cluster* cluster = nullptr;
  const PlannedExchanges* plans = nullptr;
  std::vector<int> roles;  // pipeline stage of each rank; empty where there is one
  LinkEfficiency efficiency;
  std::vector<Seconds> duration;  // of each vertex at nominal speed; of a collective its closed form
  Fidelity fidelity = Fidelity::folded;
  std::optional<Engine> engine;  // empty: usual_engine()
  bool one_of_many = false;
};

struct StepOutcome {
  Timeline timeline;              // of at most kTracedClasses classes, or as many as roles, the slowest first
  std::uint32_t shown_class = 0;  // of the timeline: shown_class()
  Seconds time;                   // until the last rank is done
  std::uint64_t classes = 0, flows = 0, events = 0;
  std::string engine;         // "formulas", "simgrid" or "max-min"
  std::uint64_t unmoved = 0;  // flows of a folded step that has more than kMostFoldedFlows: formulas answer it
};

inline constexpr std::size_t kTracedClasses = 16;
inline constexpr std::uint64_t kMostFoldedFlows = 1'000'000;  // some ten seconds; others of a step agree to four digits

/// SimGrid runs in a forked child, all else here. A folded step that is not to be had in seconds, as few of its ranks
/// play the same part, is answered by formulas. Throws std::runtime_error where a rank cannot finish.
StepOutcome simulate_step(const StepInputs& inputs);

}  // namespace mlsim::sim
