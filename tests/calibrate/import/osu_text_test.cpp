#include <sstream>

#include "catch.hpp"
#include "nccl_tests_samples.hpp"
#include "tests/calibrate/import/imported_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kLatency = R"(
# OSU MPI Latency Test v5.6.2
# Size          Latency (us)
0                       1.70
1                       1.75
1024                    2.50
)";

const std::string kBandwidth = R"(# OSU MPI-CUDA Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)
1024                  512.00
1048576             10485.76
4194304             12000.00
)";

const std::string kFull = R"(# OSU MPI Allgather Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       5.34              2.80              8.86        1000
1024                   52.71             23.64             60.00         100
)";

ImportHints on(int nodes, int ranks_per_node) {
  ImportHints hints;
  hints.nodes = nodes;
  hints.ranks_per_node = ranks_per_node;
  return hints;
}

}  // namespace

TEST_CASE("osu_latency is one way between two ranks") {
  const auto sweeps = imported(kLatency, on(2, 1));
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].kind == CollectiveKind::send_receive);
  CHECK(sweeps[0].communicator == "mpi");
  CHECK(sweeps[0].device == "cpu");
  REQUIRE(sweeps[0].points.size() == 2);  // the empty message is left out
  CHECK(sweeps[0].points[1].time.median.value == Approx(2.5e-6));
}

TEST_CASE("osu_bw turns a rate into the time of its size, of large messages alone, as 64 are on their way at once") {
  const auto sweeps = imported(kBandwidth, on(1, 2));
  CHECK(sweeps[0].device == "cuda");
  REQUIRE(sweeps[0].points.size() == 2);
  CHECK(sweeps[0].points[0].time.median.value == Approx(100e-6));
  CHECK(sweeps[0].points[1].time.median.value == Approx(4194304 / 12e9));
  CHECK_THAT(import_error(kBandwidth.substr(0, kBandwidth.find("1048576")), on(1, 2)),
             ContainsSubstring("run.txt:1") && ContainsSubstring("give osu_latency's table"));
}

TEST_CASE("latency and bandwidth of one pair of ranks are not mixed") {
  auto sweeps = imported(kLatency, on(1, 2));
  sweeps.push_back(imported(replaced(kBandwidth, "MPI-CUDA", "MPI"), on(1, 2))[0]);
  CHECK_THROWS_WITH(merged_sweeps(sweeps), ContainsSubstring("osu_latency and osu_bw both time send-receive"));
}

TEST_CASE("a collective of OSU takes the slowest rank and the payload of all ranks") {
  const auto sweeps = imported(kFull, on(2, 4));
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].kind == CollectiveKind::all_gather);
  CHECK(sweeps[0].points[0].payload == Bytes(8));
  CHECK(sweeps[0].points[1].payload == Bytes(8192));
  CHECK(sweeps[0].points[1].time.median.value == Approx(60e-6));
  CHECK(sweeps[0].points[1].time.count == 100);
  const auto plain =
      imported("# OSU MPI Allreduce Latency Test\n# Size       Avg Latency(us)\n4   1.5\n8  1.6\n", on(2, 1));
  CHECK(plain[0].kind == CollectiveKind::all_reduce);
  CHECK(plain[0].points[0].payload == Bytes(4));
  CHECK(plain[0].points[0].time.median.value == Approx(1.5e-6));
}

TEST_CASE("several OSU tables in one file are several sweeps") {
  const auto sweeps = imported(kFull + replaced(kFull, "Allgather", "Broadcast") + kFull, on(2, 4));
  REQUIRE(sweeps.size() == 2);
  CHECK(sweeps[0].points[1].launches.size() == 2);
  CHECK(sweeps[1].kind == CollectiveKind::broadcast);
  CHECK(sweeps[1].points[1].payload == Bytes(1024));
}

TEST_CASE("what an OSU file does not say must be said") {
  CHECK_THAT(import_error(kFull, {}), ContainsSubstring("run.txt:1") && ContainsSubstring("nodes=N,ranks_per_node=M"));
  CHECK_THAT(import_error(kLatency, on(2, 4)), ContainsSubstring("runs on 2 ranks"));
  ImportHints fp16 = on(2, 1);
  fp16.precision = Precision::fp16;
  CHECK(imported(kLatency, fp16)[0].precision == Precision::fp16);
  CHECK_THAT(import_error(replaced(kFull, "MPI_CHAR", "MPI_FLOAT"), fp16), ContainsSubstring("MPI_FLOAT, not of fp16"));
}

TEST_CASE("bad OSU files are named with line and reason") {
  CHECK_THAT(import_error(kLatency.substr(0, kLatency.size() - 3), on(2, 1)),
             ContainsSubstring("run.txt:6") && ContainsSubstring("cut off"));
  CHECK_THAT(import_error(kLatency.substr(0, kLatency.find("0   ")), on(2, 1)), ContainsSubstring("holds no rows"));
  CHECK_THAT(import_error(replaced(kFull, "             60.00         100", ""), on(2, 2)),
             ContainsSubstring("run.txt:5") && ContainsSubstring("3 of the 5 columns"));
  CHECK_THAT(import_error(replaced(kLatency, "2.50", "x"), on(2, 1)), ContainsSubstring("Latency (us) is \"x\""));
  CHECK_THAT(import_error(replaced(kLatency, "Latency Test", "Bi-Directional Bandwidth Test"), on(2, 1)),
             ContainsSubstring("no use for the OSU Bi-Directional Bandwidth Test"));
}

TEST_CASE("lines of a million characters and labels of launchers do not keep an OSU table from being read") {
  const std::string endless(1000000, 'y');
  CHECK(imported(endless + "\n# OSU MPI " + endless + "\n" + kFull, on(2, 1))[0].points.size() == 2);
  CHECK(import_error("# OSU MPI " + endless + " Test\n" + kFull).size() < 1000);
  const auto labelled = [](const std::string& label) {
    std::istringstream in(kFull);
    std::string text;
    for (std::string line; std::getline(in, line);) text += label + line + "\n";
    return imported(text, on(2, 1));
  };
  for (const char* label : {"[1,0]<stdout>:", "0: "})
    CHECK(labelled(label)[0].points == imported(kFull, on(2, 1))[0].points);
}
