#include <sstream>

#include "catch.hpp"
#include "nccl_tests_samples.hpp"
#include "tests/calibrate/import/imported_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

ImportHints with_kind(CollectiveKind kind) {
  ImportHints hints;
  hints.kind = kind;
  return hints;
}

}  // namespace

TEST_CASE("a table of nccl-tests is one sweep on the hosts that it lists") {
  const auto sweeps = imported(kNcclTestsText);
  REQUIRE(sweeps.size() == 1);
  const CollectiveSweep& sweep = sweeps[0];
  CHECK(sweep.kind == CollectiveKind::all_reduce);
  CHECK(sweep.communicator == "nccl");
  CHECK(sweep.device == "cuda");
  CHECK(sweep.precision == Precision::fp32);
  CHECK(sweep.nodes == 2);
  CHECK(sweep.ranks_per_node == 2);
  REQUIRE(sweep.points.size() == 3);
  CHECK(sweep.points[0].payload == Bytes(8));
  CHECK(sweep.points[0].time.median.value == Approx(20.5e-6));
  CHECK(sweep.points[0].time.count == 20);
  CHECK(sweep.points[0].launches.size() == 1);
  CHECK(sweep.points[2].payload == Bytes(1073741824));
  CHECK(sweep.points[2].time.median.value == Approx(1.2e6 * 1e-6));  // "1.2e+06" where 7 places are too few
  CHECK(sweep.source.provenance == Provenance::measured);
  CHECK_THAT(sweep.source.source, ContainsSubstring("2.19.6") && ContainsSubstring("run.txt"));
}

TEST_CASE("the in-place columns are taken where they are asked for") {
  ImportHints hints;
  hints.in_place = true;
  auto sweeps = imported(kNcclTestsText, hints);
  CHECK(sweeps[0].points[0].time.median.value == Approx(19.5e-6));
  sweeps.push_back(imported(kNcclTestsText)[0]);
  CHECK_THROWS_WITH(merged_sweeps(sweeps), ContainsSubstring("nccl-tests all-reduce in place and nccl-tests"));
}

TEST_CASE("a table of 2022 without a name, without roots and with unchecked results is read") {
  const std::string table = replaced(kOldNcclTestsText, "0e+00", "  N/A");
  const auto sweeps = imported(table, with_kind(CollectiveKind::all_gather));
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].kind == CollectiveKind::all_gather);
  CHECK(sweeps[0].precision == Precision::fp16);
  CHECK(sweeps[0].nodes == 1);
  CHECK(sweeps[0].ranks_per_node == 2);
  REQUIRE(sweeps[0].points.size() == 1);  // the row of no bytes is left out
  CHECK(sweeps[0].points[0].time.median.value == Approx(11e-6));
  CHECK_THAT(import_error(table), ContainsSubstring("run.txt:5") && ContainsSubstring("collective=all-reduce"));
}

TEST_CASE("a command line in the log names the collective") {
  const auto sweeps = imported("$ mpirun -np 2 ./build/all_gather_perf_mpi -d half\n" + kOldNcclTestsText);
  CHECK(sweeps[0].kind == CollectiveKind::all_gather);
}

TEST_CASE("lines of NCCL_DEBUG between the rows change nothing") {
  const std::string log =
      replaced(kNcclTestsText, "        1024 ", "hostA:1:2 [0] NCCL INFO Channel 00/02 : 0 1\n        1024 ");
  CHECK(imported(log)[0].points.size() == 3);
}

TEST_CASE("rows of one size in one file, or in two, are launches of their own") {
  const std::string twice = kNcclTestsText + replaced(kNcclTestsText, "   20.50", "   30.50");
  const auto sweeps = imported(twice);
  REQUIRE(sweeps.size() == 1);
  const CollectivePoint& point = sweeps[0].points[0];
  REQUIRE(point.launches.size() == 2);
  CHECK(point.time.median.value == Approx(25.5e-6));
  CHECK(point.time.lower_quartile.value == Approx(23e-6));
  CHECK(point.time.count == 40);

  auto two = imported(kNcclTestsText);
  two.push_back(imported(kNcclTestsText)[0]);
  two.push_back(imported(replaced(kNcclTestsText, "hostB", "hostA"))[0]);
  const auto merged = merged_sweeps(two);
  REQUIRE(merged.size() == 2);  // 2 nodes of 2, and 1 node of 4
  CHECK(merged[0].points[1].launches.size() == 2);
  CHECK(merged[1].ranks_per_node == 4);
}

TEST_CASE("several element types are several sweeps") {
  const std::string mixed = replaced(kNcclTestsText, "         256     float", "         512  bfloat16");
  const auto sweeps = imported(mixed);
  REQUIRE(sweeps.size() == 2);
  CHECK(sweeps[0].precision == Precision::fp32);
  CHECK(sweeps[1].precision == Precision::bf16);
  CHECK(sweeps[1].points.size() == 1);
}

TEST_CASE("an nccl-tests file that was cut off is refused wherever the cut is") {
  const std::size_t first_row = kNcclTestsText.find("           8 ");
  const std::size_t end = kNcclTestsText.find("# Avg bus");
  for (std::size_t cut = first_row + 20; cut < end; cut += 13) {
    INFO(kNcclTestsText.substr(0, cut));
    CHECK_THAT(import_error(kNcclTestsText.substr(0, cut)),
               ContainsSubstring("cut off") && ContainsSubstring("run.txt:"));
  }
}

TEST_CASE("a bad row of nccl-tests is named with its line and word") {
  CHECK_THAT(import_error(replaced(kNcclTestsText, "   20.50", "   2O.50")),
             ContainsSubstring("run.txt:13") && ContainsSubstring("time is \"2O.50\""));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "   20.50", "  -20.50")), ContainsSubstring("more than zero"));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "  0.15      0", "  0.15     12")),
             ContainsSubstring("run.txt:14") && ContainsSubstring("12 elements of the result are wrong"));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "         256     float", "         256      flot")),
             ContainsSubstring("unknown element type \"flot\"; did you mean \"float\"?"));
}

TEST_CASE("before 2.13 the last column is a relative error, and the line of bounds says whether results are wrong") {
  const std::string rounded = replaced(kOldNcclTestsText, "0e+00", "2e-07");
  REQUIRE(imported(rounded, with_kind(CollectiveKind::all_reduce)).size() == 1);
  CHECK(imported(rounded, with_kind(CollectiveKind::all_reduce))[0].points[0].time.median.value == Approx(11e-6));
  CHECK_THAT(import_error(replaced(rounded, "Out of bounds values : 0 OK", "Out of bounds values : 3 FAILED"),
                          with_kind(CollectiveKind::all_reduce)),
             ContainsSubstring("run.txt:9") && ContainsSubstring("3 results are out of bounds"));
}

TEST_CASE("bytes are a type of nccl-tests, with or without a sign") {
  for (const std::string type : {" uint8", "  int8"}) {
    const auto sweeps = imported(replaced(kNcclTestsText, "  float     sum", " " + type + "     sum"));
    REQUIRE(sweeps.size() == 1);
    CHECK(sweeps[0].precision == Precision::int8);
  }
}

TEST_CASE("collectives between AMD's devices are RCCL's, and the file's devices are known") {
  CHECK(imported(kNcclTestsText)[0].communicator == "nccl");
  CHECK(imported(kNcclTestsText)[0].hardware == "NVIDIA A100-SXM4-40GB");
  const auto sweeps = imported(replaced(kNcclTestsText, "NVIDIA A100-SXM4-40GB", "AMD Instinct MI300X"));
  CHECK(sweeps[0].communicator == "rccl");
  CHECK(sweeps[0].hardware == "AMD Instinct MI300X");
  CHECK(imported("rccl-tests: Version develop:448c4c7\n" + replaced(kNcclTestsText, "NVIDIA A100-SXM4-40GB", "-"))[0]
            .communicator == "rccl");
  CHECK(imported(replaced(kNcclTestsJson, "NVIDIA A100-SXM4-40GB", "AMD Instinct MI210"))[0].communicator == "rccl");
}

TEST_CASE("ranks that cannot be one run are refused") {
  CHECK_THAT(import_error(replaced(kNcclTestsText, "Rank  1", "Rank  0")), ContainsSubstring("lists rank 0 twice"));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "103 on      hostB", "103 on      hostA")),
             ContainsSubstring("even layouts only"));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "Rank  1 Group  0", "Rank  1 Group  1")),
             ContainsSubstring("several groups"));
  const std::string alone = kNcclTestsText.substr(0, kNcclTestsText.find("#  Rank  1")) +
                            kNcclTestsText.substr(kNcclTestsText.find("#\n#       size"));
  CHECK_THAT(import_error(alone), ContainsSubstring("one rank, which exchanges nothing"));
}

TEST_CASE("hints fill in what a file does not say and may not contradict it") {
  ImportHints hints;
  hints.nodes = 1;
  CHECK(imported(kNcclTestsText, hints)[0].ranks_per_node == 4);  // containers of one node
  hints.ranks_per_node = 8;
  CHECK_THAT(import_error(kNcclTestsText, hints), ContainsSubstring("lists 4 ranks, which are not 1 nodes of 8"));
  CHECK_THAT(import_error(kNcclTestsText, with_kind(CollectiveKind::broadcast)), ContainsSubstring("not of broadcast"));
  CHECK_THAT(import_error(replaced(kNcclTestsText, "all_reduce_perf", "reduce_perf")),
             ContainsSubstring("mlsim does not have"));

  const std::string bare = kNcclTestsText.substr(kNcclTestsText.find("#       size"));
  hints = with_kind(CollectiveKind::all_reduce);
  CHECK_THAT(import_error(bare, hints), ContainsSubstring("nodes=N,ranks_per_node=M"));
  hints.nodes = 2;
  hints.ranks_per_node = 2;
  CHECK(imported(bare, hints)[0].points.size() == 3);
  hints.ranks_per_node = 8;  // bus over algorithm bandwidth says 4 ranks
  CHECK_THAT(import_error(bare, hints), ContainsSubstring("is 1.500, but all-reduce over 16 ranks has 1.875"));
}

TEST_CASE("the published sweep of two DGX A100 is imported") {
  const auto sweeps = import_file(MLSIM_SOURCE_DIR "/examples/import-nccl-tests/dgx-a100-2-nodes.txt");
  REQUIRE(sweeps.size() == 1);
  CHECK(sweeps[0].kind == CollectiveKind::all_reduce);
  CHECK(sweeps[0].nodes == 2);
  CHECK(sweeps[0].ranks_per_node == 8);
  REQUIRE(sweeps[0].points.size() == 30);
  CHECK(sweeps[0].points.back().time.median.value == Approx(42.715e-3));
}

TEST_CASE("a line of a million characters before, within or behind a table is passed over") {
  const std::string endless = std::string(1000000, 'y') + "\n";
  CHECK(imported(endless + kNcclTestsText)[0].points.size() == 3);
  CHECK(imported("# " + endless + "#  Rank  " + endless + kNcclTestsText + endless)[0].points.size() == 3);
  const std::string digits = std::string(1000000, '8') + "\n";
  CHECK_THAT(import_error(replaced(kNcclTestsText, "# Avg", digits + "# Avg")), ContainsSubstring("columns"));
}

TEST_CASE("a word that is no figure is shown as far as 80 characters") {
  const std::string error = import_error(replaced(kNcclTestsText, "20.5", std::string(5000, 'y')));
  CHECK_THAT(error, ContainsSubstring("which is no number"));
  CHECK(error.size() < 300);
}

TEST_CASE("the labels of mpirun --tag-output and of srun -l are not of the table") {
  const auto labelled = [](const std::string& label) {
    std::istringstream in(kNcclTestsText);
    std::string text;
    for (std::string line; std::getline(in, line);) text += label + line + "\n";
    return imported(text);
  };
  for (const char* label : {"[1,0]<stdout>:", "[prterun-host-7@1,0]<stdout>: ", "0: ", " 3: "}) {
    INFO(label);
    const auto sweeps = labelled(label);
    REQUIRE(sweeps.size() == 1);
    CHECK(sweeps[0].points == imported(kNcclTestsText)[0].points);
    CHECK(sweeps[0].nodes == 2);
    CHECK_THAT(sweeps[0].source.source, ContainsSubstring("2.19.6"));
  }
}
