// Two ranks of this host, over its loopback.
#include <filesystem>

#include "calibrate/bench.hpp"
#include "catch.hpp"
#include "mpi_run.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<MeasureOrder> every_kind(const std::string& library) {
  std::vector<MeasureOrder> orders;
  for (const std::string precision : {"fp32", "fp16"}) {
    for (const std::string bytes : {"8", "70000", "1000000"}) {
      const std::string rest = library + " cpu " + precision + " " + bytes;
      for (const std::string kind : {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"})
        orders.push_back(order_of("collective " + kind + " " + rest, 3));
      orders.push_back(order_of("point-to-point " + rest, 3));
    }
  }
  return orders;
}

void check_every_kind(const std::string& library) {
  const auto orders = every_kind(library);
  const MpiRun run = run_two_ranks(orders);
  INFO(run.err);
  CHECK(run.code == 0);
  REQUIRE(run.replies.size() == orders.size());
  for (const auto& reply : run.replies) {
    INFO(reply.subject);
    CHECK(reply.unavailable.empty());
    CHECK(reply.time.count == 3);
    CHECK(reply.time.median > Seconds(0));
    CHECK(reply.hosts.size() == 2);
    CHECK(reply.hosts.front() == reply.hosts.back());
    CHECK(reply.largest_error == 0);  // sums of small whole numbers are exact in both precisions
  }
}

std::map<std::string, std::string> versions() {
  const MpiRun run = run_ranks(std::string(kLoopback) + " -n 2 '" MLSIM_MPI_PROGRAM "' --versions", {});
  INFO(run.err);
  REQUIRE(run.code == 0);
  return versions_from_line(run.out, "versions");
}

// Rank 1 is killed after two seconds, in the middle of samples without end.
MpiRun run_with_a_death(const std::string& library) {
  return run_ranks(
      std::string(kLoopback) + " -n 1 '" MLSIM_MPI_PROGRAM "' : -n 1 timeout -s KILL 2 '" MLSIM_MPI_PROGRAM "'",
      {order_of("collective all-reduce " + library + " cpu fp32 65536", 1000000000)}, 100);
}

// Gloo needs to be built in, and to see the network adapters of the machine.
bool has_gloo() {
  if (versions().count("gloo") > 0 && std::filesystem::exists("/sys/class/net")) return true;
  WARN("skipped: Gloo is not built in, or /sys is not mounted");
  return false;
}

}  // namespace

TEST_CASE("every kind and precision by MPI delivers what it should") { check_every_kind("mpi"); }

TEST_CASE("every kind and precision by Gloo delivers what it should, where Gloo is built in") {
  if (has_gloo()) check_every_kind("gloo");
}

TEST_CASE("the versions tell how many ranks there are, and where") {
  const auto known = versions();
  CHECK(known.at("ranks") == "2");
  CHECK(known.at("nodes") == "1");
  CHECK(known.at("ranks_per_node") == "2");
  CHECK(known.count("mpi") == 1);
}

TEST_CASE("what cannot be measured is answered, and the next order is served") {
  const MpiRun run = run_two_ranks({order_of("collective all-reduce mpi cuda fp32 8", 3),
                                    {},
                                    order_of("collective all-to-all mpi cpu fp32 4", 3),
                                    order_of("kernel dense_forward fp32 1 1 1", 3),
                                    order_of("collective all-reduce mpi cpu fp32 8", 3)});
  INFO(run.err);
  CHECK(run.code == 0);
  REQUIRE(run.replies.size() == 5);
  CHECK_THAT(run.replies[0].unavailable, ContainsSubstring("cpu only"));
  CHECK_THAT(run.replies[1].unavailable, ContainsSubstring("unknown subject"));
  CHECK_THAT(run.replies[2].unavailable, ContainsSubstring("less than one element"));
  CHECK_THAT(run.replies[3].unavailable, ContainsSubstring("unknown subject"));
  CHECK(run.replies[4].time.count == 3);
}

TEST_CASE("ranks can begin at an agreed moment instead of after a barrier") {
  const auto run = [](const std::string& word) {
    return run_ranks("env MLSIM_SYNCHRONISATION=" + word + " " + kLoopback + " -n 2 '" MLSIM_MPI_PROGRAM "'",
                     {order_of("collective all-reduce mpi cpu fp32 65536", 5)});
  };
  const MpiRun right = run("window");
  INFO(right.err);
  CHECK(right.code == 0);
  REQUIRE(right.replies.size() == 1);
  CHECK(right.replies[0].time.count == 5);
  const MpiRun wrong = run("widow");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring("MLSIM_SYNCHRONISATION: unknown synchronisation \"widow\""));
}

TEST_CASE("one rank alone is told to start two") {
  const MpiRun run = run_ranks(std::string(kLoopback) + " -n 1 '" MLSIM_MPI_PROGRAM "'", {});
  CHECK(run.code == 2);
  CHECK_THAT(run.err, ContainsSubstring("mpirun -n 2"));
}

TEST_CASE("an interface that Gloo cannot find is told by all ranks") {
  if (!has_gloo()) return;
  const MpiRun run =
      run_ranks("env MLSIM_GLOO_INTERFACE=nosuch0 " + std::string(kLoopback) + " -n 2 '" MLSIM_MPI_PROGRAM "'",
                {order_of("collective all-reduce gloo cpu fp32 8", 3), order_of("point-to-point mpi cpu fp32 8", 3)});
  INFO(run.err);
  CHECK(run.code == 0);
  REQUIRE(run.replies.size() == 2);
  CHECK_THAT(run.replies[0].unavailable, ContainsSubstring("nosuch0"));
  CHECK_THAT(run.replies[0].unavailable, ContainsSubstring("MLSIM_GLOO_INTERFACE"));
  CHECK(run.replies[1].unavailable.empty());
}

TEST_CASE("a rank that dies ends the run with a word and a failure, by MPI") {
  const MpiRun run = run_with_a_death("mpi");
  INFO(run.err);
  CHECK(run.code != 0);
  CHECK(run.code != 124);  // timeout's own
  CHECK(run.replies.empty());
  CHECK(!run.err.empty());
}

TEST_CASE("a rank that dies ends the run with a word and a failure, by Gloo") {
  if (!has_gloo()) return;
  const MpiRun run = run_with_a_death("gloo");
  INFO(run.err);
  CHECK(run.code != 0);
  CHECK(run.code != 124);
  CHECK(run.replies.empty());
  CHECK(!run.err.empty());
}

}  // namespace mlsim::test
