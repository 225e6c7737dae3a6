// `mlsim import`: files of nccl-tests as profiles.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "catch.hpp"
#include "run_mlsim.hpp"

namespace {

const std::string kSweepExample = std::string(MLSIM_SOURCE_DIR) + "/examples/import-nccl-tests/";
const std::string kSweep = kSweepExample + "dgx-a100-2-nodes.txt:machine=dgx-a100";

nlohmann::json profile_in(const std::string& file) { return nlohmann::json::parse(text_of(file)); }

// The example's log with other figures in the smallest size.
std::string other_launch(const ScratchFolder& folder, int number) {
  std::string text = text_of(kSweepExample + "dgx-a100-2-nodes.txt");
  const std::string time = "38.63";  // of 8 bytes
  REQUIRE(text.find(time) != std::string::npos);
  text[text.find(time) + 1] = static_cast<char>('1' + number % 9);
  return folder.file("launch" + std::to_string(number) + ".txt", text) + ":machine=dgx-a100";
}

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
  const std::string other = other_launch(folder, 0);
  const ProgramRun run =
      run_mlsim("import " + kSweep + " " + other + " --accelerator a100-sxm4-40gb --output '" + output + "'",
                "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 ");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK(profile_in(output)["collectives"][0]["points"][0]["launches_s"].size() == 2);
  CHECK(run_mlsim("import " + kSweep + " --output '" + output + "'").code == 0);  // its accelerator is known
  check({{"import " + kSweep + " --accelerator b200-sxm --output '" + output + "'",
          "is of a100-sxm4-40gb; choose another --output"}});
}

TEST_CASE("an import without a file, an accelerator or a readable file is refused") {
  check({{"import", "FILE: is needed"},
         {"import " + kSweep + " --output no-such-profile.json", "--accelerator: is needed"},
         {"import " + kSweep + " --output missing/profile.json", "missing/profile.json: cannot be written"},
         {"import missing.log --accelerator a", "missing.log"},
         {"import missing.log --acelerator a", "did you mean \"--accelerator\"?"}});
}

TEST_CASE("one log imported again is no second launch, and that is said") {
  const ScratchFolder folder;
  const std::string output = " --output '" + folder.path("profile.json") + "'";
  const auto launches = [&] {
    return profile_in(folder.path("profile.json"))["collectives"][0]["points"][0]["launches_s"].size();
  };
  const ProgramRun twice = run_mlsim("import " + kSweep + " " + kSweep + " --accelerator a100-sxm4-40gb" + output);
  REQUIRE(twice.code == 0);
  CHECK_THAT(twice.err, ContainsSubstring("its launches are in the profile already, so it counts once"));
  CHECK(launches() == 1);
  const ProgramRun again = run_mlsim("import " + kSweep + output);
  CHECK(again.code == 0);
  CHECK_THAT(again.err, ContainsSubstring("counts once"));
  CHECK_THAT(again.out, ContainsSubstring("# Fit of"));
  CHECK(launches() == 1);
  const ProgramRun other = run_mlsim("import " + other_launch(folder, 0) + output);
  CHECK_THAT(other.err, !ContainsSubstring("counts once"));
  CHECK(launches() == 2);
}

TEST_CASE("eight imports at once all stay in the profile") {
  const ScratchFolder folder;
  std::string command;
  for (int i = 0; i < 8; ++i)
    command += fmt::format(
        "timeout 100 {} import '{}' --accelerator a100-sxm4-40gb --output '{}' >/dev/null 2>'{}' || touch '{}' & ",
        MLSIM_PROGRAM, other_launch(folder, i), folder.path("profile.json"), folder.path("err" + std::to_string(i)),
        folder.path("failed"));
  REQUIRE(std::system((command + "wait").c_str()) == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path("failed")));
  CHECK_FALSE(std::filesystem::exists(folder.path("profile.json.lock")));
  const auto profile = profile_in(folder.path("profile.json"));
  REQUIRE(profile["collectives"].size() == 1);
  CHECK(profile["collectives"][0]["points"][0]["launches_s"].size() == 8);
}

TEST_CASE("an accelerator that no catalogue has is said to be a new one, and one with several kinds is refused") {
  const ScratchFolder folder;
  const std::string output = " --output '" + folder.path("profile.json") + "'";
  check({{"import " + kSweep + " --accelerator h100" + output, "unknown accelerator \"h100\"; there are h100-"}});
  CHECK(folder.entries() == 0);
  std::string text = text_of(kSweepExample + "dgx-a100-2-nodes.txt");
  for (auto at = text.find("A100-SXM4-40GB"); at != std::string::npos; at = text.find("A100-SXM4-40GB"))
    text.replace(at, 14, "Own Device");
  const std::string own = folder.file("own.txt", text) + ":machine=own";
  const ProgramRun run = run_mlsim("import '" + own + "' --accelerator h100-sxm6" + output);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, ContainsSubstring("unknown accelerator \"h100-sxm6\"") && ContainsSubstring("h100-sxm5") &&
                          ContainsSubstring("a machine file that has an accelerator of that name"));
  CHECK_THAT(run_mlsim("import '" + own + "' --accelerator h100-sxm5 --output '" + folder.path("b.json") + "'").err,
             !ContainsSubstring("unknown"));
  check({{"import " + kSweep + " --accelerator v100-pcie --complete-on dgx-a100:nodes=2 --output '" +
              folder.path("c.json") + "'",
          "--accelerator: dgx-a100:nodes=2 has a100-sxm4-40gb, not \"v100-pcie\""}});
}

TEST_CASE("a log whose devices are others than the accelerator that is named is refused with both names") {
  const ScratchFolder folder;
  const std::string output = " --output '" + folder.path("profile.json") + "'";
  check({{"import " + kSweep + " --accelerator h100-sxm5" + output, "is of \"A100-SXM4-40GB\", which is a100-"},
         {"import " + kSweep + " --accelerator h100-sxm6" + output, "not of \"h100-sxm6\""}});
  CHECK_FALSE(std::filesystem::exists(folder.path("profile.json")));
}

TEST_CASE("a profile of one accelerator takes no sweep of another, and stays as it was") {
  const ScratchFolder folder;
  const std::string output = folder.path("profile.json");
  REQUIRE(run_mlsim("import " + kSweep + " --accelerator a100-sxm4-40gb --output '" + output + "'").code == 0);
  const std::string before = text_of(output);
  check({{"import " + kSweep + " --accelerator v100-pcie --output '" + output + "'",
          "is of a100-sxm4-40gb; choose another --output"}});
  CHECK(text_of(output) == before);
}

TEST_CASE("an import waits for who writes the profile, and says whom") {
  const ScratchFolder folder;
  const std::string output = folder.path("profile.json");
  const std::string holder = "exec 9>'" + output + ".lock'; flock 9; echo 'process 7 on nowhere' >&9; ";
  const std::string held = "(" + holder + "touch '" + folder.path("held") + "'; sleep 3) & until [ -e '" +
                           folder.path("held") + "' ]; do sleep 0.1; done; ";
  const ProgramRun run =
      run_mlsim("import " + kSweep + " --accelerator a100-sxm4-40gb --output '" + output + "'", held);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, ContainsSubstring("waiting for process 7 on nowhere"));
}

TEST_CASE("lines of 60 000 characters and the labels of mpirun and srun are read") {
  const ScratchFolder folder;
  const std::string endless = std::string(60000, 'y') + "\n", log = text_of(kSweepExample + "dgx-a100-2-nodes.txt");
  const auto labelled = [&](const std::string& label) {
    std::string text;
    std::istringstream in(endless + log + endless);
    for (std::string line; std::getline(in, line);) text += label + line + "\n";
    return text;
  };
  int number = 0;
  for (const std::string label : {"", "[1,0]<stdout>:", "0: "}) {
    const std::string name = std::to_string(++number);
    const std::string output = folder.path(name + ".json");
    REQUIRE(run_mlsim("import '" + folder.file(name, labelled(label)) + "' --accelerator a100-sxm4-40gb --output '" +
                      output + "'")
                .code == 0);
    CHECK(profile_in(output)["collectives"][0]["points"].size() == 30);
  }
}
