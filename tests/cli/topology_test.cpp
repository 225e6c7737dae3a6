// `mlsim topology`: machine files of this machine and of what other programs wrote.
#include "bad_case.hpp"
#include "catch.hpp"
#include "run_mlsim.hpp"

namespace {

const std::string kNcclExample = std::string(MLSIM_SOURCE_DIR) + "/examples/nccl-topology/";
const std::string kNcclFile = kNcclExample + "dgx-a100.xml";
const std::string kOwnProfile = std::string(MLSIM_SOURCE_DIR) + "/examples/calibrated-processor/profile.json";

// The text as a run in the folder of the example would write it.
std::string without_folder(std::string text) {
  for (auto at = text.find(kNcclExample); at != std::string::npos; at = text.find(kNcclExample))
    text.erase(at, kNcclExample.size());
  return text;
}

}  // namespace

TEST_CASE("a topology that NCCL wrote becomes a machine file, named as the file that is written") {
  const ScratchFolder folder;
  const ProgramRun run = run_mlsim("topology --nccl " + kNcclFile + " --output '" + folder.path("machine.yaml") + "'");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK(run.out.empty());
  CHECK(without_folder(text_of(folder.path("machine.yaml"))) == text_of(kNcclExample + "machine.yaml"));
  CHECK_THAT(run_mlsim("topology --nccl " + kNcclFile).out, ContainsSubstring("imported"));
}

TEST_CASE("this machine has the accelerator and the ceilings of its profile") {
  const ProgramRun run = run_mlsim("topology --profile " + kOwnProfile);
  if (run.code == 3) return;  // a build without hwloc
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("mlsim calibrate, on vm"));
}

TEST_CASE("options of a machine file that contradict one another are refused") {
  check({{"topology --nccl a.xml --hwloc b.xml", "--hwloc: cannot be given together with --nccl"},
         {"topology --nccl a.xml --device cuda", "--device: cannot be given together with --nccl"},
         {"topology --device cpu --profile " + kOwnProfile, "--device: cannot be given together with --profile"},
         {"topology --hwloc a.xml --profile " + kOwnProfile, "--profile: says what was measured of this machine"},
         {"topology --device gpux", "--device: "},
         {"topology --ncl a.xml", "did you mean \"--nccl\"?"},
         {"topology --nccl missing.xml", "missing.xml"}});
}
