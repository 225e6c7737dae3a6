// Clusters and schedules with round numbers, for tests.
#pragma once

#include <string>

#include "core/units.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/links/link_efficiency.hpp"
#include "tests/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::test {

constexpr Bytes kPayload = mebibytes(100);

/// The grid `name` with links of 50 GB/s and 1 us, but for the factors of `defects`.
inline Cluster plain_grid(const std::string& name, const Defects& defects = {}) {
  const Cluster whole = build_cluster(name);
  Cluster cluster = build_cluster(name, 0, defects);
  const BytesPerSecond nominal = whole.link(0).bandwidth;
  const auto [first, last] = boost::edges(cluster.graph);
  for (auto edge = first; edge != last; ++edge) {
    Link& link = cluster.graph[*edge];
    link.bandwidth = gigabytes_per_second(50) * (link.bandwidth / nominal);
    link.latency = microseconds(1);
  }
  return cluster;
}

inline Schedule planned(const Cluster& cluster, CollectiveKind kind, const std::string& algorithm,
                        Bytes bytes = kPayload) {
  return plan_collective(cluster, kind, bytes, ideal_links(), algorithm).schedule;
}

/// Columns, then rows, then back: 2 (Y-1) (S/Y/B + L) + 2 (X-1) (S/(X Y)/B + L) with 50 GB/s and 1 us.
inline double torus_time(double x, double y) {
  const double s = kPayload.value, b = 50e9, l = 1e-6;
  return 2 * (y - 1) * (s / y / b + l) + 2 * (x - 1) * (s / (x * y) / b + l);
}

}  // namespace mlsim::test
