// The planner decides which schedule a collective uses on a cluster, and why.
#pragma once

#include <optional>
#include <string>

#include "core/profile/collective.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/collectives/rank_layout.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/collectives/schedule_cost.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

struct PlannedCollective {
  Schedule schedule;
  Statement reason;                       // one clause: "fewest bytes on the slowest link; ring would take 1.9x"
  Seconds closed_form;                    // on the links as they are (slow links count), without other traffic
  ScheduleCost cost;                      // the same for any payload
  std::optional<LinkEfficiency> links{};  // what it reaches of them, where the whole step does otherwise
};

/// Plans the quickest by closed form (of those within 5 % of it the first of algorithm_names), or the forced one
/// (InputError for an unknown name, Infeasible for one that cannot run here, with those that can).
PlannedCollective plan_collective(const Cluster& cluster, CollectiveKind kind, Bytes bytes,
                                  const LinkEfficiency& efficiency, const std::optional<std::string>& forced = {});

/// A quick search looks only at algorithms that follow the structure of the system, for comparing many layouts.
enum class Search { all, quick };

/// Plans the same in groups that run side by side and share the links, with a table of hops that may serve many plans.
/// Each element of an all-to-all goes to `copies` ranks.
PlannedCollective plan_in_groups(const RankLayout& layout, CollectiveKind kind, Bytes bytes, HopTable& hops,
                                 const std::optional<std::string>& forced = {}, Search search = Search::all,
                                 int copies = 1);

/// A `ScheduleChoice` is what was chosen in some groups, and what it costs there.
struct ScheduleChoice {
  std::string algorithm;
  Statement reason;
  ScheduleCost cost;
};

/// Chooses in other groups, without a look at other algorithms, what costs there exactly what it does in those that
/// `choice` is of; empty where it does not.
std::optional<PlannedCollective> plan_alike(const RankLayout& layout, CollectiveKind kind, Bytes bytes, HopTable& hops,
                                            int copies, const ScheduleChoice& choice);

/// Costs one algorithm on one group of all ranks, without a look at the others.
PlannedCollective cost_collective(const std::string& algorithm, CollectiveKind kind, Bytes bytes, HopTable& hops);

/// Gives the closed-form time of a schedule on the cluster's own links, by ScheduleCost (schedule_cost.hpp); keep one
/// of those where the same schedule is costed for many payloads.
Seconds closed_form_time(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                         Bytes bytes);

}  // namespace mlsim::sim
