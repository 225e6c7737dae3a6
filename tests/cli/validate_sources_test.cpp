// docs/sources.md against what mlsim says of its source documents today.
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "moved_lines.hpp"
#include "run_mlsim.hpp"
#include "scratch_folder.hpp"

using namespace mlsim::test;

TEST_CASE("docs/sources.md is what validate sources writes: what moved is mended, not recorded, where it got worse") {
  const auto start = std::filesystem::current_path();
  std::filesystem::current_path(MLSIM_SOURCE_DIR);  // the table names files of the tree
  const ProgramRun run = run_mlsim("validate sources --format markdown");
  std::filesystem::current_path(start);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(run.out.find("no cause known") == std::string::npos);
  INFO("./dev validate sources --format markdown --output docs/sources.md");
  CHECK(moved_lines(text_of(MLSIM_SOURCE_DIR "/docs/sources.md"), run.out) == std::vector<std::string>{});
}
