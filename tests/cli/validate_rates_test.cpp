// The rates that published times give, written by the program as they are stored.
#include <string>

#include "catch.hpp"
#include "moved_lines.hpp"
#include "run_mlsim.hpp"
#include "scratch_folder.hpp"

using namespace mlsim::test;

TEST_CASE("the stored table of rates is what validate rates writes") {
  const std::string stored = text_of(MLSIM_SOURCE_DIR "/validation/published/mlperf_rates_of_times.csv");
  REQUIRE(stored.size() > 1000);
  const ProgramRun run = run_mlsim("validate rates");
  REQUIRE(run.code == 0);
  CHECK(moved_lines(stored, run.out) == std::vector<std::string>{});
}
