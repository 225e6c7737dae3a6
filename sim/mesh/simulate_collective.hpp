// simulate_collective() gives one collective at each of the four fidelities, for tests, the benchmark and `list
// collectives`.
#pragma once

#include <cstdint>
#include <optional>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

struct CollectiveTime {
  Seconds time;  // when the last rank has its result
  std::uint64_t classes = 0, flows = 0, events = 0;
};

/// On SimGrid it runs in a forked child; `engine` empty is usual_engine(). Throws std::runtime_error naming the rank
/// and what it waits for where a rank cannot finish.
CollectiveTime simulate_collective(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                                   Bytes bytes, Fidelity fidelity, std::optional<Engine> engine = {},
                                   bool one_of_many = false);

}  // namespace mlsim::sim
