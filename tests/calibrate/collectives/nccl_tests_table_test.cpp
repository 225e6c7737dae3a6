#include "calibrate/collectives/nccl_tests_table.hpp"

#include "calibrate/import/import_file.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

CollectivePoint point(double payload, double time_us) {
  CollectivePoint point;
  point.payload = Bytes(payload);
  point.time = {microseconds(time_us), microseconds(time_us), microseconds(time_us), 10, 0};
  return point;
}

CollectiveCurve curve_of(CollectiveKind kind) {
  CollectiveCurve curve;
  curve.kind = kind;
  curve.communicator = "mpi";
  curve.nodes = 2;
  curve.ranks_per_node = 2;
  curve.points = {point(1024, 10), point(1048576, 1000), point(16777216, 123456)};
  return curve;
}

const std::vector<std::string> kHosts{"a", "a", "b", "b"};

}  // namespace

TEST_CASE("a row has the columns of nccl-tests, with algorithm and bus bandwidth in GB/s") {
  // 1 MiB in 1 ms: 1.05 GB/s; all-reduce over 4 ranks: 6/4 of it on the bus.
  CHECK_THAT(
      nccl_tests_table(curve_of(CollectiveKind::all_reduce), kHosts),
      ContainsSubstring("\n     1048576        262144     float     sum      -1  1000.00    1.05    1.57       0   "
                        "   N/A     N/A     N/A     N/A\n"));
}

TEST_CASE("the header lists every rank with its host, counted from 0 on each") {
  const std::vector<std::string> by_node{"a", "b", "a", "b"};  // mpirun --map-by node
  CHECK_THAT(nccl_tests_table(curve_of(CollectiveKind::all_reduce), by_node),
             ContainsSubstring("# Using devices\n"
                               "#  Rank  0 Group  0 Pid      0 on          a device  0 [cpu] mpi\n"
                               "#  Rank  1 Group  0 Pid      0 on          b device  0 [cpu] mpi\n"
                               "#  Rank  2 Group  0 Pid      0 on          a device  1 [cpu] mpi\n"
                               "#  Rank  3 Group  0 Pid      0 on          b device  1 [cpu] mpi\n"));
  CHECK_THAT(nccl_tests_table(curve_of(CollectiveKind::all_reduce)), !ContainsSubstring("Using devices"));
}

TEST_CASE("a time that does not fit its column keeps fewer decimals") {
  CHECK_THAT(nccl_tests_table(curve_of(CollectiveKind::all_reduce)), ContainsSubstring("  123456    0.14    0.20  "));
}

TEST_CASE("an all-gather counts the elements of one rank's part and has no operation") {
  CHECK_THAT(nccl_tests_table(curve_of(CollectiveKind::all_gather)),
             ContainsSubstring("     1048576         65536     float    none      -1"));
}

TEST_CASE("what mlsim prints in nccl-tests' columns it reads back") {
  const ScratchFolder scratch;
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather,
                          CollectiveKind::broadcast, CollectiveKind::all_to_all, CollectiveKind::send_receive}) {
    const CollectiveCurve curve = curve_of(kind);
    INFO(nccl_tests_table(curve, kHosts));
    const auto sweeps = import_file(scratch.file("table", nccl_tests_table(curve, kHosts)));
    REQUIRE(sweeps.size() == 1);
    CHECK(sweeps[0].kind == kind);
    CHECK(sweeps[0].communicator == "mpi");
    CHECK(sweeps[0].device == "cpu");
    CHECK(sweeps[0].nodes == 2);
    CHECK(sweeps[0].ranks_per_node == 2);
    REQUIRE(sweeps[0].points.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(sweeps[0].points[i].payload == curve.points[i].payload);
      CHECK(sweeps[0].points[i].time.median.value == Approx(curve.points[i].time.median.value));
    }
  }
}

TEST_CASE("a kind that nccl-tests has not is not printed") {
  CHECK_THROWS_AS(nccl_tests_table(curve_of(CollectiveKind::halo_exchange)), InputError);
}

}  // namespace mlsim::test
