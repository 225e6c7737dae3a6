// Each row is one all-reduce of 100 MiB at one fidelity, from 1 to 65,536 ranks.
#include <fmt/format.h>

#include "bench/row.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::bench {
namespace {

constexpr Bytes kPayload = mebibytes(100);

// 65,536 ranks would send 67 million messages.
int most_ranks(Fidelity fidelity) { return fidelity == Fidelity::message ? 4096 : 65536; }

std::string simulated(const std::string& system, Fidelity fidelity) {
  const Cluster cluster = build_cluster(system);
  const auto all_reduce = CollectiveKind::all_reduce;
  const std::optional<std::string> algorithm =
      cluster.ranks() > 1 ? std::optional<std::string>("torus-2d-one-way") : std::nullopt;
  const Schedule schedule = plan_collective(cluster, all_reduce, kPayload, ideal_links(), algorithm).schedule;
  const CollectiveTime result = simulate_collective(schedule, cluster, ideal_links(), kPayload, fidelity);
  return fmt::format("{:.9f} s simulated, {} classes, {} flows", result.time.value, result.classes, result.flows);
}

}  // namespace

std::vector<BenchRow> collective_rows() {
  struct System {
    int ranks;
    std::string name;
  };
  std::vector<BenchRow> rows;
  for (const System& system : {System{1, "torus1x1"}, System{16, "torus4x4"}, System{256, "torus16x16"},
                               System{1024, "torus32x32"}, System{4096, "torus128x32"}, System{65536, "torus256x256"}})
    for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
      BenchRow row{"all-reduce 100 MiB", system.name, system.ranks, std::string(name(fidelity)), {}, {}};
      if (system.ranks > most_ranks(fidelity))
        row.skipped = fmt::format("beyond {} ranks", most_ranks(fidelity));
      else
        row.work = [system, fidelity] { return simulated(system.name, fidelity); };
      rows.push_back(std::move(row));
    }
  return rows;
}

}  // namespace mlsim::bench
