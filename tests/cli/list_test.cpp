// `mlsim list`: complete, sorted, whole names.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kWide = "COLUMNS=100 ";  // each name in one piece

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The line of the table that starts with the name.
std::string row_of(const std::string& name, const std::vector<std::string>& lines) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(name + " "); });
  return found == lines.end() ? "" : *found;
}

}  // namespace

TEST_CASE("the list of workloads has a row of counts for each") {
  const auto lines = lines_of(run_mlsim("list workloads", kWide).out);
  CHECK_THAT(row_of("bert-large", lines), ContainsSubstring("336 226 108") && ContainsSubstring(" 398 "));
  CHECK_THAT(row_of("efficientnet-widese-b0", lines), ContainsSubstring("8 423 848"));
  CHECK_THAT(row_of("resnet50", lines),
             ContainsSubstring("25 557 032") && ContainsSubstring(" 161 ") && ContainsSubstring(" 4.089 "));
  CHECK_THAT(row_of("gpt3-175b", lines), ContainsSubstring("174 604 259 328"));
}

TEST_CASE("the list of recipes says where each is known and whose default it is") {
  const auto lines = lines_of(run_mlsim("list recipes", kWide).out);
  const auto row = std::find_if(lines.begin(), lines.end(),
                                [](const auto& line) { return line.find(" v0.7-lars-tf ") != std::string::npos; });
  REQUIRE(row != lines.end());
  CHECK_THAT(*row, ContainsSubstring("resnet") && ContainsSubstring("75.9 % top-1") &&
                       ContainsSubstring("2 048 .. 65 536") && ContainsSubstring("tpu, cpu"));
}

TEST_CASE("systems stand in natural order with what published names mean") {
  const auto lines = lines_of(run_mlsim("list topologies", kWide).out);
  const auto at = [&](const std::string& name) {
    return std::find(lines.begin(), lines.end(), row_of(name, lines)) - lines.begin();
  };
  CHECK(at("tpu-v3-32") < at("tpu-v3-128"));
  CHECK(at("dgx1-v100") < at("dgx2"));
  CHECK_THAT(row_of("dgx-a100", lines), ContainsSubstring("40.0 GiB") && ContainsSubstring("200 GB/s"));
  const auto facts = nlohmann::json::parse(run_mlsim("list topologies --format json", kWide).out);
  const auto slice = std::find_if(facts.begin(), facts.end(), [](const auto& f) { return f["name"] == "tpu-v3-32"; });
  REQUIRE(slice != facts.end());
  CHECK((*slice)["description"] == "=torus32x32:slice=4x4");
}

TEST_CASE("the list of profiles has the terms of each family of workloads") {
  const auto out = run_mlsim("list profiles", kWide).out;
  CHECK_THAT(out, ContainsSubstring("translation"));
  CHECK_THAT(out, ContainsSubstring("33.0 us"));
}

TEST_CASE("every list reads as JSON with a row for each") {
  for (const std::string list :
       {"workloads", "recipes", "topologies", "accelerators", "profiles", "prices", "collectives"}) {
    const ProgramRun run = run_mlsim("list " + list + " --format json");
    INFO(list << run.err);
    REQUIRE(run.code == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json.is_array());
    CHECK(json.size() >= 19);
    CHECK(run.out == run_mlsim("list " + list + " --format json").out);
  }
}

TEST_CASE("topologies are chosen by cloud, accelerator, memory and price") {
  const auto chosen = [](const std::string& options) {
    return nlohmann::json::parse(run_mlsim("list topologies --format json " + options).out);
  };
  const auto aws = chosen("--cloud aws --max-price 10USD/h");
  REQUIRE(aws.size() >= 4);
  for (const auto& system : aws) {
    CHECK(system["cloud"] == "aws");
    CHECK(system["price"]["usd_per_h"].get<double>() <= 10);
  }
  const auto large = chosen("--accelerator a100-sxm4-80gb --memory 80GiB");
  REQUIRE(large.size() >= 3);
  for (const auto& system : large) CHECK(system["accelerator"] == "a100-sxm4-80gb");
  CHECK(chosen("--accelerator a100-sxm4-40gb --memory 80GiB").empty());
}

TEST_CASE("one thing is shown whole, with its options") {
  const ProgramRun system = run_mlsim("list dgx-a100:nodes=2");
  CHECK_THAT(system.out, ContainsSubstring("16 x a100-sxm4-40gb") && ContainsSubstring("200 GB/s from each node") &&
                             ContainsSubstring("USD/h on-demand") && ContainsSubstring("256 threads"));
  const ProgramRun workload = run_mlsim("list resnet50");
  CHECK_THAT(workload.out, ContainsSubstring("25 557 032") && ContainsSubstring("75.9 % top-1") &&
                               ContainsSubstring("v0.7-lars-mxnet") && ContainsSubstring("ImageNet"));
  CHECK_THAT(run_mlsim("list gpt2").out, ContainsSubstring("none known; --set tokens=N"));
  CHECK_THAT(run_mlsim("list tpu-v4").out, ContainsSubstring("275 TFLOP/s"));
  const auto json = nlohmann::json::parse(run_mlsim("list bert-large --format json").out);
  CHECK(json["parameters"] == 336226108);
  CHECK(json["recipes"].size() >= 2);
}

TEST_CASE("slips in what to list are refused with the nearest right word") {
  const auto complaint = [](const std::string& arguments) {
    const ProgramRun run = run_mlsim("list " + arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK(run_mlsim("list BERT-Large").out == run_mlsim("list bert-large").out);
  CHECK(run_mlsim("list P3DN").code == 0);
  CHECK(run_mlsim("list 16xH100").code == 0);
  CHECK_THAT(complaint("dgx-a1oo"), ContainsSubstring("did you mean \"dgx-a100\"?"));
  CHECK_THAT(complaint("topologis"), ContainsSubstring("did you mean \"topologies\"?"));
  CHECK_THAT(complaint("topologies --cloud gpc"), ContainsSubstring("did you mean \"gcp\"?"));
  CHECK_THAT(complaint("topologies --memory 40"), ContainsSubstring("--memory"));
  CHECK_THAT(complaint("topologies --max-price cheap"), ContainsSubstring("--max-price"));
  CHECK_THAT(complaint("prices --cloud aws"), ContainsSubstring("list topologies takes it"));
  CHECK_THAT(complaint("workloads --format yaml"), ContainsSubstring("--format"));
}
