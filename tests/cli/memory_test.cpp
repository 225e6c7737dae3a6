// Little memory: an answer, or one sentence and exit code 3.
#include <fmt/format.h>

#include "bad_case.hpp"

#ifndef __SANITIZE_ADDRESS__  // which takes all of the address space

namespace {

// The address space in MiB, as a shell sets it for the program.
std::string with_address_space(int mebibytes) { return fmt::format("ulimit -v {}; ", mebibytes * 1024); }

// What the program cannot even begin with.
int least_address_space() {
  int least = 40;
  while (least < 4000 && run_mlsim("--version", with_address_space(least)).code != 0) least += 10;
  return least;
}

}  // namespace

TEST_CASE("an actor for each rank and lane takes little of the address space") {
  const ProgramRun run = run_mlsim(
      "predict --topology torus16x16 --workload bert-large --parallelism pipeline=2 --batch-per-accelerator 8 "
      "--fidelity message --set engine=simgrid",
      with_address_space(1000));
  CHECK(run.err == "");
  CHECK(run.code == 0);
}

TEST_CASE("too little memory is a sentence at every fidelity") {
  const int least = least_address_space();
  int refused = 0;
  for (const char* const how : {"closed", "folded", "fluid --set engine=simgrid", "fluid --set engine=max-min",
                                "message --set engine=simgrid", "message --set engine=max-min"}) {
    for (const int more : {0, 5, 10, 20, 40, 80}) {
      const std::string question =
          fmt::format("predict --topology torus16x16 --workload resnet50 --batch-per-accelerator 8 --fidelity {}", how);
      const ProgramRun run = run_mlsim(question, with_address_space(least + more));
      INFO(least + more << " MiB: mlsim " << question);
      if (run.code == 0) continue;
      ++refused;
      CHECK(run.code == 3);
      CHECK(run.out.empty());
      CHECK_THAT(run.err, Catch::Matchers::StartsWith("mlsim: ") && ContainsSubstring("not enough memory"));
      CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
    }
  }
  CHECK(refused > 0);
}

#endif
