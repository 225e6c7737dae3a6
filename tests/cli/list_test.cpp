// `mlsim list`: complete, sorted, whole names, within the page.
#include <algorithm>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

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

TEST_CASE("every list fits 100 columns") {
  for (const std::string list :
       {"workloads", "recipes", "topologies", "accelerators", "profiles", "prices", "collectives"}) {
    const ProgramRun run = run_mlsim("list " + list);
    INFO(list);
    CHECK(run.code == 0);
    CHECK(run.err.empty());
    for (const auto& line : lines_of(run.out)) {
      INFO(line);
      CHECK(line.size() <= 100);
    }
  }
}

TEST_CASE("the list of workloads has a row of counts for each") {
  const auto lines = lines_of(run_mlsim("list workloads").out);
  CHECK_THAT(row_of("bert-large", lines), ContainsSubstring("336 226 108") && ContainsSubstring(" 398 "));
  CHECK_THAT(row_of("efficientnet-widese-b0", lines), ContainsSubstring("8 423 848"));
  CHECK_THAT(row_of("resnet50", lines),
             ContainsSubstring("25 557 032") && ContainsSubstring(" 161 ") && ContainsSubstring(" 4.089 "));
  CHECK_THAT(row_of("gpt3-175b", lines), ContainsSubstring("174 604 259 328"));
}

TEST_CASE("the list of recipes says where each is known and whose default it is") {
  const auto lines = lines_of(run_mlsim("list recipes").out);
  const auto row = std::find_if(lines.begin(), lines.end(),
                                [](const auto& line) { return line.find(" v0.7-lars-tf ") != std::string::npos; });
  REQUIRE(row != lines.end());
  CHECK_THAT(*row, ContainsSubstring("resnet") && ContainsSubstring("75.9 % top-1") &&
                       ContainsSubstring("2 048 .. 65 536") && ContainsSubstring("tpu, cpu"));
}

TEST_CASE("systems stand in natural order with what published names mean") {
  const auto lines = lines_of(run_mlsim("list topologies").out);
  const auto at = [&](const std::string& name) {
    return std::find(lines.begin(), lines.end(), row_of(name, lines)) - lines.begin();
  };
  CHECK(at("tpu-v3-32") < at("tpu-v3-128"));
  CHECK(at("dgx1-v100") < at("dgx2"));
  CHECK_THAT(row_of("tpu-v3-32", lines), ContainsSubstring("=torus32x32:slice=4x4"));
}

TEST_CASE("the list of profiles has the terms of each family of workloads") {
  const auto out = run_mlsim("list profiles").out;
  CHECK_THAT(out, ContainsSubstring("translation"));
  CHECK_THAT(out, ContainsSubstring("33.0 us"));
}
