// The rates that published times give, written by the program as they are stored.
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "moved_lines.hpp"
#include "run_mlsim.hpp"

using namespace mlsim::test;

TEST_CASE("the stored table of rates is what validate rates writes") {
  std::ifstream in(MLSIM_SOURCE_DIR "/validation/published/mlperf_rates_of_times.csv");
  const std::string stored{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(stored.size() > 1000);
  const ProgramRun run = run_mlsim("validate rates");
  REQUIRE(run.code == 0);
  CHECK(moved_lines(stored, run.out) == std::vector<std::string>{});
}
