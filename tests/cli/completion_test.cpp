// All-reduces of NCCL that were measured at a few sizes, or at none, as curves of all sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "bad_case.hpp"

using Json = nlohmann::json;

namespace {

struct Row {
  double payload = 0, time_us = 0;
};

// Of calibrate/published/nccl_all_reduce.csv.
std::vector<Row> published(const std::string& sweep) {
  std::ifstream file(MLSIM_SOURCE_DIR "/calibrate/published/nccl_all_reduce.csv");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string name, payload, time;
    std::getline(cells, name, ',');
    std::getline(cells, payload, ',');
    std::getline(cells, time, ',');
    if (name == sweep) rows.push_back({std::stod(payload), std::stod(time)});
  }
  return rows;
}

bool is_among(double payload, const std::vector<double>& sizes) {
  return std::find(sizes.begin(), sizes.end(), payload) != sizes.end();
}

// As nccl-tests prints them, between `nodes` nodes of eight.
std::string nccl_tests(const std::vector<Row>& rows, int nodes, const std::string& program = "all_reduce_perf") {
  std::string text = "# Collective test starting: " + program + "\n# Using devices\n";
  const int ranks = 8 * nodes;
  for (int rank = 0; rank < ranks; ++rank)
    text += fmt::format("#  Rank {:2} Group  0 Pid 1 on  host{} device {:2} [0x07] NVIDIA\n", rank, rank / 8, rank % 8);
  text += "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n";
  const double factor = program == "all_reduce_perf" ? 2.0 * (ranks - 1) / ranks : 1.0 * (ranks - 1) / ranks;
  for (const auto& [payload, time] : rows) {
    const double rate = payload / time * 1e-3;
    text += fmt::format("{:.0f} {:.0f} float sum -1 {:.2f} {:.2f} {:.2f} 0 N/A N/A N/A N/A\n", payload, payload / 4,
                        time, rate, rate * factor);
  }
  return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1\n";
}

std::vector<Row> only(const std::vector<Row>& rows, const std::vector<double>& sizes) {
  std::vector<Row> few;
  for (const Row& row : rows)
    if (is_among(row.payload, sizes)) few.push_back(row);
  return few;
}

Json curve_in(const std::string& file) { return Json::parse(text_of(file))["collectives"][0]; }

// Of the sizes that were not measured, by the curve's knots: they lie at powers of two, as the sizes do.
struct Errors {
  double median = 0, p90 = 0;
};
Errors held_back_errors(const Json& curve, const std::vector<Row>& rows, const std::vector<double>& measured) {
  std::map<double, double> knots;
  for (const auto& knot : curve["knots"]) knots[knot["payload_bytes"]] = knot["time_s"];
  std::vector<double> errors;
  for (const Row& row : rows)
    if (!is_among(row.payload, measured)) errors.push_back(std::abs(knots.at(row.payload) / (row.time_us * 1e-6) - 1));
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[errors.size() * 9 / 10]};
}

const std::vector<double> kThree{65536, 4194304, 1073741824};
const std::string kTwoNodes = "p4de:nodes=2";

std::string completed(const std::string& options, const std::string& output) {
  return "import --complete-on " + options + " --output '" + output + "'";
}

}  // namespace

TEST_CASE("three measured sizes of an all-reduce become a curve that is nearer to the others than hardware alone") {
  const ScratchFolder folder;
  const auto rows = published("p4de_2n_efa4x100");
  const std::string few = folder.file("few.log", nccl_tests(only(rows, kThree), 2));
  const ProgramRun run = run_mlsim(completed(kTwoNodes + " " + few, folder.path("few.json")));
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("2 x 8 ranks of p4de, fp32") && ContainsSubstring("sharpened by 3 sizes"));
  CHECK_THAT(unwrapped(run.out),
             ContainsSubstring("64.0 KiB") && ContainsSubstring("227 us") && ContainsSubstring("off by 7 % in"));
  REQUIRE(run_mlsim(completed(kTwoNodes, folder.path("none.json"))).code == 0);

  const Json curve = curve_in(folder.path("few.json"));
  CHECK(curve["source"]["provenance"] == "fitted");
  CHECK_THAT(curve["source"]["source"].get<std::string>(),
             ContainsSubstring("few.log; completed by NCCL's structure, constants of published sweeps sharpened by 3"));
  CHECK(curve["points"].size() == 3);
  CHECK(curve["residual"]["count"] == 3);
  CHECK(curve["knots"].front()["payload_bytes"] == 8);
  CHECK(curve["knots"].back()["payload_bytes"] == 17179869184);
  const Errors sharp = held_back_errors(curve, rows, kThree);
  const Errors blunt = held_back_errors(curve_in(folder.path("none.json")), rows, kThree);
  WARN(
      fmt::format("26 held-back sizes are missed by {:.1f} % in the median and {:.1f} % at P90 instead of {:.1f} and "
                  "{:.1f} %",
                  100 * sharp.median, 100 * sharp.p90, 100 * blunt.median, 100 * blunt.p90));
  CHECK(sharp.median < 0.08);
  CHECK(sharp.median < 0.75 * blunt.median);
  CHECK(sharp.p90 < 0.75 * blunt.p90);
}

TEST_CASE("a prediction takes the completed curve and says so") {
  const ScratchFolder folder;
  const std::string few = folder.file("few.log", nccl_tests(only(published("p4de_2n_efa4x100"), kThree), 2));
  const std::string profile = folder.path("few.json");
  REQUIRE(run_mlsim(completed(kTwoNodes + " " + few, profile)).code == 0);
  const std::string asked = "predict --topology " + kTwoNodes +
                            " --workload resnet50 --precision fp32 --batch-per-accelerator 32 --profile " + profile;
  const ProgramRun run = run_mlsim(asked + " --verbose");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(unwrapped(run.out),
             ContainsSubstring("all-reduce by NCCL's structure (nccl, 2 x 8 ranks, 3 sizes measured)"));
  const Json answer = Json::parse(run_mlsim(asked + " --format json").out);
  const auto entry = std::find_if(answer["provenance"].begin(), answer["provenance"].end(),
                                  [](const Json& each) { return each["figure"] == "all-reduce"; });
  REQUIRE(entry != answer["provenance"].end());
  CHECK((*entry)["source"]["provenance"] == "fitted");
  CHECK_THAT((*entry)["source"]["source"].get<std::string>(), ContainsSubstring("sharpened by 3 sizes"));
  const ProgramRun list = run_mlsim("list profiles --profile " + profile, "COLUMNS=100 ");
  CHECK_THAT(list.out, ContainsSubstring("p4de") && ContainsSubstring("7.0 / 26.0 %") && ContainsSubstring("fitted"));
}

TEST_CASE("sizes that are measured later sharpen the curve anew, and from seven on the sweep itself is stored") {
  const ScratchFolder folder;
  const auto rows = published("p4de_2n_efa4x100");
  const std::string profile = folder.path("grown.json");
  const auto add = [&](const std::string& name, const std::vector<double>& sizes) {
    const std::string log = folder.file(name, nccl_tests(only(rows, sizes), 2));
    REQUIRE(run_mlsim(completed(kTwoNodes + " " + log, profile)).code == 0);
    return Json::parse(text_of(profile))["collectives"];
  };
  const Json one = add("one.log", {1048576})[0];
  CHECK_THAT(one["source"]["source"].get<std::string>(), !ContainsSubstring("sharpened"));
  const Json four = add("four.log", {8, 65536, 1073741824});
  REQUIRE(four.size() == 1);
  CHECK(four[0]["points"].size() == 4);
  CHECK_THAT(four[0]["source"]["source"].get<std::string>(), ContainsSubstring("one.log; ") &&
                                                                 ContainsSubstring("four.log; completed by") &&
                                                                 ContainsSubstring("sharpened by 4 sizes"));
  const Json seven = add("seven.log", {1024, 16777216, 134217728});
  REQUIRE(seven.size() == 1);
  CHECK(seven[0]["knots"].size() == 7);
  CHECK(seven[0]["source"]["provenance"] == "measured");
  CHECK_THAT(seven[0]["source"]["source"].get<std::string>(), !ContainsSubstring("completed"));
}

TEST_CASE("a sweep of many sizes is stored as without --complete-on") {
  const ScratchFolder folder;
  const std::string log = folder.file("all.log", nccl_tests(published("p4de_2n_efa4x100"), 2));
  const ProgramRun whole = run_mlsim(completed(kTwoNodes + " " + log, folder.path("a.json")));
  const ProgramRun plain = run_mlsim("import --accelerator a100-sxm4-80gb " + log + ":machine=p4de --output '" +
                                     folder.path("b.json") + "'");
  CHECK(whole.code == 0);
  CHECK(whole.out == plain.out);
  CHECK(text_of(folder.path("a.json")) == text_of(folder.path("b.json")));
}

TEST_CASE("a system without any measured size is known by NCCL's structure alone, in both sizes of gradients") {
  const ScratchFolder folder;
  const std::string profile = folder.path("none.json");
  const ProgramRun run = run_mlsim(completed("dgx-h100:nodes=4", profile));
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(unwrapped(run.out),
             ContainsSubstring("4 x 8 ranks of dgx-h100: NCCL's structure, constants of published sweeps"));
  const Json curves = Json::parse(text_of(profile))["collectives"];
  REQUIRE(curves.size() == 2);
  CHECK(curves[0]["precision"] == "fp32");
  CHECK(curves[1]["precision"] == "fp16");
  CHECK(run_mlsim(completed("dgx-h100:nodes=4", profile)).code == 0);  // the same again
  CHECK(Json::parse(text_of(profile))["collectives"].size() == 2);
  const ProgramRun asked =
      run_mlsim("predict --topology dgx-h100:nodes=4 --workload bert-large --verbose --profile " + profile);
  CHECK_THAT(unwrapped(asked.out),
             ContainsSubstring("all-reduce by NCCL's structure (nccl, 4 x 8 ranks, no sizes measured)"));
}

TEST_CASE("a machine file of one's own is completed and predicted like one of the catalogue") {
  const ScratchFolder folder;
  const std::string machine = MLSIM_SOURCE_DIR "/examples/nccl-topology/machine.yaml:nodes=2";
  const std::string few = folder.file("few.log", nccl_tests(only(published("dgxa100_2n_hdr8"), kThree), 2));
  const std::string profile = folder.path("own.json");
  REQUIRE(run_mlsim(completed(machine + " " + few, profile)).code == 0);
  const Json answer =
      Json::parse(run_mlsim("predict --format json --topology " + machine +
                            " --workload resnet50 --precision fp32 --batch-per-accelerator 32 --profile " + profile)
                      .out);
  CHECK(answer["inputs"]["collective"] == "all-reduce by NCCL's structure (nccl, 2 x 8 ranks, 3 sizes measured)");
}

TEST_CASE("what NCCL's structure cannot complete is refused in a sentence") {
  const ScratchFolder folder;
  const std::string output = folder.path("refused.json");
  const auto rows = only(published("p4de_2n_efa4x100"), kThree);
  const std::string few = " " + folder.file("few.log", nccl_tests(rows, 2));
  const std::string gather = " " + folder.file("gather.log", nccl_tests(rows, 2, "all_gather_perf"));
  check({{completed("p4dd:nodes=2" + few, output), "--complete-on: unknown"},
         {completed("p4dd:nodes=2" + few, output), "did you mean \"p4d"},
         {completed("torus16x16" + few, output), "--complete-on: NCCL runs on NVIDIA's GPUs, not on tpu-v3"},
         {completed("mi300x-8" + few, output), "RCCL"},
         {completed("p4de:nodes=1,per_node=1", output), "is one accelerator, which exchanges nothing"},
         {completed("p4de:nodes=4" + few, output),
          "was measured on 2 x 8 ranks, not on 4 x 8; name the system that it was measured on, as p4de:nodes=2"},
         {completed(kTwoNodes + gather, output), "holds 3 sizes of all-gather by nccl: only NCCL's all-reduce"},
         {completed(kTwoNodes + few + ":machine=dgx-a100", output), "is said to be of dgx-a100, not p4de"},
         {completed(kTwoNodes + " missing.log", output), "missing.log"}});
  CHECK_FALSE(std::filesystem::exists(output));
  REQUIRE(run_mlsim(completed(kTwoNodes + few, output)).code == 0);
  check({{completed(kTwoNodes, output), "knows measured sizes of that system already"}});
}
