// `mlsim import`: files of nccl-tests as profiles.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "catch.hpp"
#include "run_mlsim.hpp"

namespace {

const std::string kSweepExample = std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/";
const std::string kSweep = kSweepExample + "dgx-a100-2-nodes.txt:machine=dgx-a100";

nlohmann::json profile_in(const std::string& file) { return nlohmann::json::parse(text_of(file)); }

}  // namespace

TEST_CASE("a sweep of nccl-tests becomes a profile of the accelerator that is named") {
  const ScratchFolder folder;
  const std::string output = folder.path("profile.json");
  const ProgramRun run = run_mlsim("import " + kSweep + " --accelerator a100-sxm4-40gb --output '" + output + "'");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("# Fit of"));
  CHECK_THAT(run.err, ContainsSubstring("0 kernels, 0 probes, 0 laws and 1 collectives of a100-sxm4-40gb"));
  const auto made = profile_in(output), stored = profile_in(kSweepExample + "profile.json");
  CHECK(made["accelerator"] == stored["accelerator"]);
  REQUIRE(made["collectives"].size() == 1);
  CHECK(made["collectives"][0]["points"].size() == stored["collectives"][0]["points"].size());
}

TEST_CASE("two files of one system are two launches of one curve, also under mpirun") {
  const ScratchFolder folder;
  const std::string output = folder.path("profile.json");
  const ProgramRun run = run_mlsim("import " + kSweep + " " + kSweep + " --accelerator a --output '" + output + "'",
                                   "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 ");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(profile_in(output)["collectives"][0]["points"][0]["launches_s"].size() == 2);
  CHECK(run_mlsim("import " + kSweep + " --output '" + output + "'").code == 0);  // its accelerator is known
  check({{"import " + kSweep + " --accelerator b --output '" + output + "'", "is of a; choose another --output"}});
}

TEST_CASE("an import without a file, an accelerator or a readable file is refused") {
  check({{"import", "FILE: is needed"},
         {"import " + kSweep + " --output missing/profile.json", "--accelerator: is needed"},
         {"import missing.log --accelerator a", "missing.log"},
         {"import missing.log --acelerator a", "did you mean \"--accelerator\"?"}});
}
