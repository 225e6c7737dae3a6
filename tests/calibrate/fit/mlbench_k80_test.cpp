// MLBench's raw all-reduces of eight K80, through the same fits as every sweep.
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/fit.hpp"
#include "catch.hpp"
#include "costs/collective_time.hpp"
#include "published_sweeps.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

CollectiveSweep k80_sweep(const std::string& library, int nodes, double from_bytes) {
  CollectiveSweep sweep;
  sweep.communicator = library;
  sweep.device = "cuda";
  sweep.machine = "gce-k80";
  sweep.nodes = nodes;
  sweep.ranks_per_node = 8 / nodes;
  for (const Row& row : published_table("mlbench_k80.csv")) {
    if (row.at("library") != library || row.at("nodes") != std::to_string(nodes)) continue;
    const Bytes payload(std::stod(row.at("payload_bytes")));
    if (payload < Bytes(from_bytes)) continue;
    const Seconds median = microseconds(std::stod(row.at("median_us")));
    sweep.points.push_back({payload, {median, median, median, std::stoi(row.at("iterations")), 0}, {}});
  }
  return sweep;
}

// Gbit/s of the wire of a ring: 2 (N-1)/N payload over time.
double ring_gigabits(const CollectiveCurve& curve, double payload) {
  return bus_bandwidth_factor(curve.kind, curve.ranks()) * payload / collective_time(curve, Bytes(payload)).value * 8 /
         1e9;
}

}  // namespace

TEST_CASE("rates of K80 in three arrangements are those that their study read off") {
  struct Expected {
    std::string communicator;
    int nodes;
    double from_bytes, low, high;
  };
  for (const auto& [library, nodes, from_bytes, low, high] : {Expected{"nccl", 8, 4e6, 2.3, 2.6},
                                                              {"mpi", 8, 0, 2.5, 2.8},
                                                              {"nccl", 2, 0, 8.9, 9.3},
                                                              {"mpi", 2, 0, 4.7, 6.2},
                                                              {"nccl", 1, 0, 16.2, 16.7},
                                                              {"mpi", 1, 0, 13.2, 14.3}}) {
    CAPTURE(library, nodes);
    const CollectiveCurve curve = fit_collective(k80_sweep(library, nodes, from_bytes));
    for (const double payload : {4e7, 1e8, 4e8}) {
      CHECK(ring_gigabits(curve, payload) > low);
      CHECK(ring_gigabits(curve, payload) < high);
    }
    CHECK(curve.residual.median < 0.15);
  }
}
