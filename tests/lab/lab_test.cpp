// Four hosts of one rank, joined by links of 100 Mbit/s each way (run_in_lab.sh).
#include "catch.hpp"
#include "mpi_run.hpp"

namespace mlsim::test {
namespace {

// Of tbf at 100 Mbit/s TCP gets 95.4 for payload: 1448 bytes of each 1514 on the wire (iperf3 on this lab).
constexpr double kPayloadRate = 95.4e6 / 8;  // B/s

const std::string kLab = "'" MLSIM_LAB "' 4 100mbit 32kb -- '" MLSIM_MPI_PROGRAM "'";

Seconds median(const MpiRun& run, std::size_t at) {
  INFO(run.replies.at(at).subject << " " << run.replies[at].unavailable);
  CHECK(run.replies[at].unavailable.empty());
  CHECK(run.replies[at].largest_error == 0);
  return run.replies[at].time.median;
}

// 1 MiB. Shaping sets how fast it can be; a busy machine can only slow it, so it may try again.
Seconds quickest_point_to_point() {
  Seconds quickest(1e9);
  for (int attempt = 0; attempt < 5 && quickest.value > 1.15 * 1048576 / kPayloadRate; ++attempt) {
    const MpiRun run = run_ranks(kLab, {order_of("point-to-point mpi cpu fp32 1048576", 5)});
    INFO(run.err);
    REQUIRE(run.replies.size() == 1);
    median(run, 0);
    quickest = min(quickest, run.replies[0].time.lower_quartile);
  }
  return quickest;
}

}  // namespace

TEST_CASE("the lab has four hosts of one rank each", "[lab]") {
  const MpiRun run = run_ranks(kLab + " --versions", {});
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring("\"hosts\":\"lab0 lab1 lab2 lab3\""));
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring("\"nodes\":\"4\""));
  CHECK_THAT(run.out, Catch::Matchers::ContainsSubstring("\"ranks_per_node\":\"1\""));
}

TEST_CASE("point to point runs at the links' rate and all-reduce not above it", "[lab]") {
  const MpiRun run = run_ranks(
      kLab, {order_of("point-to-point mpi cpu fp32 65536", 5), order_of("collective all-reduce mpi cpu fp32 65536", 5),
             order_of("collective all-reduce mpi cpu fp32 262144", 3),
             order_of("collective all-reduce mpi cpu fp32 1048576", 3)});
  INFO(run.err);
  CHECK(run.code == 0);
  REQUIRE(run.replies.size() == 4);
  CHECK(quickest_point_to_point().value == Approx(1048576 / kPayloadRate).epsilon(0.15));
  CHECK(median(run, 1) < median(run, 3));
  // Each rank must send and receive 2 * 3/4 of the payload; bursts of 32 kB on each of two shapers go for nothing.
  CHECK(median(run, 3).value > 1.5 * 1048576 / kPayloadRate * 0.85);
}

TEST_CASE("Gloo finds the hosts of the lab by name", "[lab]") {
  const MpiRun run = run_ranks(kLab, {order_of("collective all-gather gloo cpu fp16 65536", 3)});
  INFO(run.err);
  CHECK(run.code == 0);
  REQUIRE(run.replies.size() == 1);
  if (run.replies[0].unavailable.find("no Gloo") == std::string::npos) CHECK(median(run, 0) > Seconds(0));
}

}  // namespace mlsim::test
