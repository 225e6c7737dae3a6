#include "sim/collectives/nccl/nccl_planner.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr NcclVariant kPlannedRingLl{NcclAlgorithm::ring, NcclProtocol::ll};
constexpr NcclVariant kPlannedRingSimple{NcclAlgorithm::ring, NcclProtocol::simple};

PlannedCollective as_chosen(const Cluster& cluster, double bytes, std::optional<NcclProtocol> protocol = {},
                            std::optional<std::string> algorithm = {}) {
  return plan_with_nccl(cluster, CollectiveKind::all_reduce, Bytes(bytes), fitted_links(),
                        {true, protocol, std::move(algorithm)});
}

double simulated(const PlannedCollective& plan, const Cluster& cluster, double bytes, Fidelity fidelity) {
  return simulate_collective(plan.schedule, cluster, *plan.links, Bytes(bytes), fidelity).time.value;
}

}  // namespace

TEST_CASE("Simple leaves the links as they are, LL halves their rate and shortens their messages") {
  const LinkEfficiency plain = fitted_links();
  const LinkEfficiency simple = protocol_links(plain, kPlannedRingSimple), ll = protocol_links(plain, kPlannedRingLl);
  for (const auto kind : {LinkKind::nvlink, LinkKind::pcie, LinkKind::nic}) {
    CHECK(simple[kind].share == plain[kind].share);
    CHECK(simple[kind].message == plain[kind].message);
    CHECK(ll[kind].share == plain[kind].share / 2);
  }
  // 3.4 becomes 0.6, 14 + 7 becomes 2.7 + 7.
  CHECK(ll[LinkKind::nvlink].message.value == Approx(0.6e-6));
  CHECK(ll[LinkKind::nic].message.value == Approx(9.7e-6));
}

// A ring of 8: 14 messages and 14/8 of the payload, at 0.81 of 300 GB/s with Simple and half of that with LL.
TEST_CASE("one ring on an NVSwitch box takes its protocol's messages and rate") {
  const Cluster box = build_cluster("dgx-a100", 8);
  const auto time = [&](NcclProtocol protocol, double bytes) {
    return plan_with_nccl(box, CollectiveKind::all_reduce, Bytes(bytes), fitted_links(), {false, protocol, "ring"})
        .closed_form.value;
  };
  CHECK(time(NcclProtocol::simple, 1e9) == Approx(14 * 4e-6 + 1.75e9 / (0.81 * 300e9)).epsilon(1e-3));
  CHECK(time(NcclProtocol::ll, 1e9) == Approx(14 * 1.2e-6 + 1.75e9 / (0.405 * 300e9)).epsilon(1e-3));
  CHECK(time(NcclProtocol::ll, 8) < time(NcclProtocol::ll128, 8));
  CHECK(time(NcclProtocol::ll128, 8) < time(NcclProtocol::simple, 8));
}

TEST_CASE("what NCCL would choose runs as our schedule of the same family, and the reason says so") {
  const Cluster boxes = build_cluster("dgx-a100", 64);
  const auto small = as_chosen(boxes, 65536), large = as_chosen(boxes, 4e9);
  CHECK(small.schedule.algorithm == "hierarchical-tree");
  CHECK_THAT(small.reason.text, ContainsSubstring("NCCL would choose Tree LL (its own estimate "));
  CHECK(large.schedule.algorithm == "hierarchical");
  CHECK_THAT(large.reason.text, ContainsSubstring("NCCL would choose Ring Simple"));
  const Cluster mesh = build_cluster("dgx1-v100", 8);
  CHECK(as_chosen(mesh, 1e9).schedule.algorithm == "nvlink-rings");
}

TEST_CASE("the choice of the tuner is kept although another variant is quicker") {
  const Cluster boxes = build_cluster("p4d", 16);
  bool slower = false;
  for (double bytes = 1024; bytes <= 1e9; bytes *= 4) {
    const auto taken = as_chosen(boxes, bytes);
    const auto quickest =
        plan_with_nccl(boxes, CollectiveKind::all_reduce, Bytes(bytes), fitted_links(), {false, {}, {}});
    CHECK(taken.closed_form >= quickest.closed_form);
    if (taken.closed_form > 1.05 * quickest.closed_form) {
      slower = true;
      CHECK_THAT(taken.reason.text, ContainsSubstring("the quickest would be "));
    }
  }
  CHECK(slower);
}

TEST_CASE("where NCCL would sum in the switches its next choice runs, and the reason says what NVLS takes") {
  const auto plan = as_chosen(build_cluster("dgx-h100", 8), 128 << 20);
  CHECK(plan.schedule.algorithm == "ring");
  CHECK_THAT(plan.reason.text, ContainsSubstring("NCCL would choose NVLS (its own estimate 528 us), 590 us by fitted"));
  CHECK_THAT(plan.reason.text, ContainsSubstring("not simulated; runs Ring Simple"));
}

TEST_CASE("a protocol's schedule takes as long simulated as in closed form") {
  const Cluster box = build_cluster("dgx-a100", 8);
  for (const auto protocol : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
    const auto plan = as_chosen(box, 1 << 22, protocol);
    for (const auto fidelity : {Fidelity::folded, Fidelity::fluid, Fidelity::message})
      CHECK(simulated(plan, box, 1 << 22, fidelity) == Approx(plan.closed_form.value).epsilon(1e-6));
  }
}

TEST_CASE("what NCCL cannot do is refused with what it can") {
  const Cluster pcie = build_cluster("pcie-server", 8);
  CHECK_THROWS_WITH(as_chosen(pcie, 1e6, NcclProtocol::ll128), ContainsSubstring("ll and simple run"));
  CHECK_THROWS_WITH(as_chosen(pcie, 1e6, {}, "halving-doubling"), ContainsSubstring("NCCL has no halving-doubling"));
  CHECK_THROWS_WITH(as_chosen(build_cluster("torus4x4", 16), 1e6), ContainsSubstring("NVIDIA's GPUs"));
  CHECK_THROWS_AS(as_chosen(build_cluster("dgx-a100", 8), 1e6, {}, "hierarchical"), Infeasible);
}
