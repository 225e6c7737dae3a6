// One collective at all four fidelities: formula, folded, fluid and message by message.
#include "catch.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "tests/sim/fold/systems.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

CollectiveTime at(Fidelity fidelity, const Cluster& cluster, const std::string& algorithm, Bytes bytes = kPayload,
                  CollectiveKind kind = CollectiveKind::all_reduce) {
  return simulate_collective(planned(cluster, kind, algorithm, bytes), cluster, ideal_links(), bytes, fidelity);
}

void check_all(const Cluster& cluster, const std::string& algorithm, double expected, double tolerance) {
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
    INFO(algorithm << " on " << cluster.name << " at " << name(fidelity));
    CHECK(at(fidelity, cluster, algorithm).time.value == Approx(expected).epsilon(tolerance));
  }
}

Defects slow_link(const std::string& text) { return {{parse_slow_link(text)}, {}, {}}; }

}  // namespace

TEST_CASE("an all-reduce by columns and rows takes the reference time at every fidelity", "[slow]") {
  check_all(plain_grid("torus16x16"), "torus-2d-one-way", 0.00423792, 1e-9);
  check_all(plain_grid("torus32x32"), "torus-2d-one-way", 0.004314208, 1e-9);
  // 2 x 15 rounds of 1/16 and 2 x 15 of 1/256 of half the payload each way, and 60 latencies.
  check_all(plain_grid("torus16x16"), "torus-2d", (0.00423792 - 60e-6) / 2 + 60e-6, 1e-9);
}

TEST_CASE("4096 ranks on 32 rings and 128 lines take the reference time folded and fluid") {
  const Cluster cluster = plain_grid("torus128x32");
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid})
    CHECK(at(fidelity, cluster, "torus-2d-one-way").time.value == Approx(0.00450928).epsilon(1e-9));
  CHECK(torus_time(128, 32) == Approx(0.00450928).epsilon(1e-12));
  CHECK(at(Fidelity::folded, cluster, "torus-2d-one-way").classes == 1);
}

TEST_CASE("a ring of 8 sends 7/8 of the payload twice") {
  check_all(plain_grid("torus8x1"), "ring", 14 * (kPayload.value / 8 / 50e9 + 1e-6), 1e-9);
}

TEST_CASE("one slow link in 32x32 gives two classes of ranks and one time at all fidelities", "[slow]") {
  const double others = torus_time(32, 32) - 62 * (kPayload.value / 1024 / 50e9 + 1e-6);  // the columns
  for (const double factor : {0.9, 0.5, 0.1}) {
    const Cluster cluster = plain_grid("torus32x32", slow_link("x3y4-x4y4:" + std::to_string(factor)));
    const double row = 62 * (kPayload.value / 1024 / (50e9 * factor) + 1e-6);
    check_all(cluster, "torus-2d-one-way", others + row, 1e-9);
    CHECK(at(Fidelity::folded, cluster, "torus-2d-one-way").classes == 2);
    CHECK(at(Fidelity::folded, cluster, "torus-2d-one-way").flows < 12);
  }
}

TEST_CASE("a slow link in the middle of a line costs its own messages only, at its end all of them") {
  const double fast = kPayload.value / 32 / 50e9 + 1e-6, slow = kPayload.value / 32 / 5e9 + 1e-6;
  const auto times = [&](const std::string& link, double expected) {
    const Cluster cluster = plain_grid("mesh32x1", slow_link(link));
    for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
      INFO(name(fidelity));
      CHECK(at(fidelity, cluster, "line").time.value == Approx(expected).epsilon(1e-9));
    }
  };
  // Reduce-scatter and all-gather: the link x_s to x_s+1 carries max(s + 1, 31 - s) messages one way, others the rest.
  times("x0y0-x1y0:0.1", 2 * 31 * slow);
  times("x10y0-x11y0:0.1", 2 * (21 * slow + 10 * fast));
  check_all(plain_grid("mesh32x1"), "line", 2 * 31 * fast, 1e-9);
}

TEST_CASE("boxes with NVLink, NVSwitch and networks fold to the fluid time") {
  for (const std::string system : {"dgx1-v100", "dgx1-v100:nodes=2", "dgx1-p100:nodes=4", "dgx-a100:nodes=4"}) {
    const Cluster cluster = build_cluster(system);
    for (const std::string& algorithm : possible_algorithms(cluster, CollectiveKind::all_reduce)) {
      INFO(algorithm << " on " << system);
      const CollectiveTime folded = at(Fidelity::folded, cluster, algorithm);
      const CollectiveTime fluid = at(Fidelity::fluid, cluster, algorithm);
      CHECK(folded.time.value == Approx(fluid.time.value).epsilon(1e-9));
      CHECK(folded.classes <= fluid.classes);
      CHECK(folded.flows < fluid.flows);
    }
  }
}

TEST_CASE("on boxes the fluid time is near the time message by message") {
  for (const std::string system : {"dgx1-v100:nodes=2", "dgx-a100:nodes=4"}) {
    const Cluster cluster = build_cluster(system);
    for (const std::string& algorithm : possible_algorithms(cluster, CollectiveKind::all_reduce)) {
      INFO(algorithm << " on " << system);
      // Trees and lines mix hops of many speeds in one pipeline: 6 %; all others 1e-6, the rounding to bytes.
      const bool pipeline = algorithm.find("tree") != std::string::npos || algorithm == "line";
      const double tolerance = pipeline ? 0.06 : 1e-6;
      CHECK(at(Fidelity::fluid, cluster, algorithm).time.value ==
            Approx(at(Fidelity::message, cluster, algorithm).time.value).epsilon(tolerance));
    }
  }
}

TEST_CASE("an all-to-all folds although links carry different numbers of local and remote messages") {
  const Cluster cluster = build_cluster("dgx-a100:nodes=3");
  const CollectiveTime folded = at(Fidelity::folded, cluster, "pairwise", kPayload, CollectiveKind::all_to_all);
  const CollectiveTime fluid = at(Fidelity::fluid, cluster, "pairwise", kPayload, CollectiveKind::all_to_all);
  CHECK(folded.time.value == Approx(fluid.time.value).epsilon(1e-9));
  CHECK(folded.flows < fluid.flows / 10);
}

TEST_CASE("a failed link is gone round, and the detour folds to the fluid time") {
  const Cluster cluster = plain_grid("torus8x8", {{parse_failed_link("x2y3-x3y3")}, {}, {}});
  const CollectiveTime folded = at(Fidelity::folded, cluster, "torus-2d-one-way");
  const CollectiveTime fluid = at(Fidelity::fluid, cluster, "torus-2d-one-way");
  CHECK(folded.time.value == Approx(fluid.time.value).epsilon(1e-9));
  CHECK(folded.time.value > torus_time(8, 8) * 1.001);
  CHECK(folded.flows < fluid.flows / 4);
}

TEST_CASE("a payload that does not divide still folds a torus to one class") {
  const Cluster cluster = plain_grid("torus16x16");
  const Bytes odd(102228129);
  const CollectiveTime folded = at(Fidelity::folded, cluster, "torus-2d", odd);
  CHECK(folded.classes == 1);
  CHECK(folded.time.value == Approx(at(Fidelity::fluid, cluster, "torus-2d", odd).time.value).epsilon(1e-9));
  CHECK(folded.time.value == Approx(at(Fidelity::message, cluster, "torus-2d", odd).time.value).epsilon(1e-5));
}

TEST_CASE("the same collective gives the same bits twice at every fidelity") {
  const Cluster cluster = plain_grid("torus8x8", slow_link("x3y4-x4y4:0.7"));
  for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message})
    CHECK(at(fidelity, cluster, "torus-2d").time.value == at(fidelity, cluster, "torus-2d").time.value);
}

TEST_CASE("other collectives agree folded, fluid and by message") {
  const Cluster cluster = plain_grid("torus8x1");
  for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
                                    CollectiveKind::broadcast, CollectiveKind::halo_exchange})
    for (const std::string& algorithm : possible_algorithms(cluster, kind)) {
      INFO(algorithm << " for " << name(kind));
      const double fluid = at(Fidelity::fluid, cluster, algorithm, kPayload, kind).time.value;
      CHECK(at(Fidelity::folded, cluster, algorithm, kPayload, kind).time.value == Approx(fluid).epsilon(1e-9));
      CHECK(at(Fidelity::message, cluster, algorithm, kPayload, kind).time.value == Approx(fluid).epsilon(0.05));
    }
}

TEST_CASE("both engines give the same collective, flow by flow and message by message") {
  for (const std::string system : {"torus4x3", "mesh5x2", "dgx1-v100:nodes=2", "gce-k80"}) {
    const Cluster cluster = build_cluster(system);
    for (const std::string& algorithm : possible_algorithms(cluster, CollectiveKind::all_reduce)) {
      const Bytes payload(1200000);
      const Schedule schedule =
          plan_collective(cluster, CollectiveKind::all_reduce, payload, fitted_links(), algorithm).schedule;
      for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
        const auto on = [&](Engine engine) {
          return simulate_collective(schedule, cluster, fitted_links(), payload, fidelity, engine).time.value;
        };
        INFO(system << " " << algorithm << " " << name(fidelity));
        // Where a rank sends over routes of unlike length, SimGrid's actors count the longer latency from the sender's
        // arrival, ours from the synchronisation of both ends.
        const bool unlike = algorithm.find("tree") != std::string::npos || algorithm == "halving-doubling";
        const double tolerance = fidelity != Fidelity::message ? 1e-12 : unlike ? 0.06 : 1e-9;
        CHECK(on(Engine::max_min) == Approx(on(Engine::simgrid)).epsilon(tolerance));
      }
    }
  }
}
