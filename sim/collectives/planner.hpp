// Which schedule a collective uses on a cluster, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/collective.hpp"
#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/link_efficiency.hpp"
#include "topologies/cluster.hpp"

namespace mlsim {

struct PlannedCollective {
  Schedule schedule;
  std::string reason;   // one clause: "fewest bytes on the slowest link; ring would take 1.9x"
  Seconds closed_form;  // on the links as they are (slow links count), without other traffic
};

/// Names of the algorithms: "ring", "ring-bidirectional", "nvlink-rings", "tree" (double binary), "halving-doubling",
/// "hierarchical", "torus-2d" (columns, then rows), "torus-2d-both" (both axes at once, half the payload each), "line",
/// "pairwise", "chain", "neighbour".
std::vector<std::string> algorithm_names();

/// All algorithms that `kind` can run on this cluster with all of its ranks. `bytes` is the payload per rank as
/// nccl-tests counts it; one element is one byte.
std::vector<std::string> possible_algorithms(const Cluster& cluster, CollectiveKind kind);

/// The quickest by closed form, or the forced one (InputError for an unknown name, Infeasible for one that cannot run
/// here, with those that can).
PlannedCollective plan_collective(const Cluster& cluster, CollectiveKind kind, Bytes bytes,
                                  const LinkEfficiency& efficiency, const std::optional<std::string>& forced = {});

/// Closed-form time of a schedule on the cluster's own links: per phase the slowest group by pattern_time, with each
/// hop's bandwidth divided by the number of flows of the phase on its links.
Seconds closed_form_time(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                         Bytes bytes);

}  // namespace mlsim
