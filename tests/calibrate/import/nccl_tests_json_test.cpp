#include "catch.hpp"
#include "nccl_tests_samples.hpp"
#include "tests/calibrate/import/imported_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("JSON of nccl-tests is the same sweep as its text") {
  const auto sweeps = imported(kNcclTestsJson);
  REQUIRE(sweeps.size() == 1);
  const CollectiveSweep& sweep = sweeps[0];
  CHECK(sweep.kind == CollectiveKind::all_reduce);
  CHECK(sweep.communicator == "nccl");
  CHECK(sweep.nodes == 2);
  CHECK(sweep.ranks_per_node == 2);  // two GPUs a process, of which one is listed
  REQUIRE(sweep.points.size() == 2);
  CHECK(sweep.points[1].payload == Bytes(1048576));
  CHECK(sweep.points[1].time.median.value == Approx(100e-6));
  CHECK(sweep.points[1].time.count == 20);
  CHECK_THAT(sweep.source.source, ContainsSubstring("NCCL 22703"));
  ImportHints hints;
  hints.in_place = true;
  CHECK(imported(kNcclTestsJson, hints)[0].points[0].time.median.value == Approx(19.5e-6));
}

TEST_CASE("a list of all ranks in JSON is taken as it stands") {
  const std::string all =
      replaced(replaced(kNcclTestsJson, R"({"rank":2,)", R"({"rank":1,)"), R"("ngpus":2)", R"("ngpus":1)");
  const auto sweeps = imported(replaced(replaced(all, "0.074927", "0.049951"), "15.728640", "10.485760"));
  CHECK(sweeps[0].ranks_per_node == 1);
  CHECK(sweeps[0].nodes == 2);
}

TEST_CASE("JSON that was cut off anywhere is refused") {
  for (std::size_t cut = 1; cut < kNcclTestsJson.find_last_of('}'); cut += 31) {
    INFO(kNcclTestsJson.substr(0, cut));
    CHECK_THAT(import_error(kNcclTestsJson.substr(0, cut)),
               ContainsSubstring("cut off") && ContainsSubstring("run.txt:"));
  }
}

TEST_CASE("JSON that nccl-tests closed before its end is refused") {
  const std::string closed = kNcclTestsJson.substr(0, kNcclTestsJson.find(",\n\"out_of_bounds\"")) + "}\n";
  CHECK_THAT(import_error(closed), ContainsSubstring("has no \"average_bus_bandwidth\": nccl-tests did not end"));
}

TEST_CASE("bad JSON of nccl-tests is named with its key or line") {
  CHECK_THAT(import_error(replaced(kNcclTestsJson, "\"nccl_version\":22703", "\"nccl_version\" 22703")),
             ContainsSubstring("run.txt:2: is no JSON at byte"));
  CHECK_THAT(import_error(replaced(kNcclTestsJson, "\"nwrong\":null", "\"nwrong\":3.000000")),
             ContainsSubstring("results[0].in_place.nwrong") && ContainsSubstring("wrong"));
  CHECK_THAT(import_error(replaced(kNcclTestsJson, "\"time\":20.500000", "\"time\":\"nan\"")),
             ContainsSubstring("results[0].out_of_place.time") && ContainsSubstring("no number"));
  CHECK_THAT(import_error(replaced(kNcclTestsJson, "\"time\":20.500000", "\"time\":-1")),
             ContainsSubstring("at least 0"));
  CHECK_THAT(import_error(replaced(kNcclTestsJson, "\"type\":\"float\"", "\"type\":\"int32\"")),
             ContainsSubstring("results[0].type") && ContainsSubstring("int32"));
  CHECK_THAT(import_error("{}"), ContainsSubstring("average_bus_bandwidth"));
}
