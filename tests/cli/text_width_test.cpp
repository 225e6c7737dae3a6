// Text is as wide as the terminal, whatever the command.
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "run_mlsim.hpp"

TEST_CASE("no line of any text is wider than the terminal") {
  for (const std::string command :
       {"list workloads", "list recipes", "list topologies", "list accelerators", "list profiles", "list prices",
        "list collectives", "list dgx-a100", "list bert-large", "list tpu-v3", "doctor", "validate convergence",
        "predict --topology dgx-a100:nodes=2 --workload bert-large --verbose",
        "explain --topology dgx-a100:nodes=2 --workload bert-large",
        "compare dgx-a100 'dgx-a100:nodes=2 accumulation=2' 'tpu-v3-32 price-date=2020-07' --workload resnet50",
        "plan --workload bert --topology p4d,dgx1-v100 --price-date 2020-12 --most-accelerators 16 --deadline 2h"}) {
    for (const std::size_t width : {80, 60}) {
      const ProgramRun run = run_mlsim(command, "COLUMNS=" + std::to_string(width) + " ");
      INFO(command << " on " << width << " columns\n" << run.err);
      REQUIRE(run.code == 0);
      std::istringstream lines(run.out);
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        // UTF-8: continuation bytes take no column.
        CHECK(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }) <=
              static_cast<long>(width));
      }
    }
  }
}
