// What a command shows on a terminal while it takes long.
#include <fstream>

#include "catch.hpp"
#include "running_mlsim.hpp"
#include "scratch_folder.hpp"

namespace {

// Takes a minute or more.
const std::vector<std::string> kLongPrediction{
    "predict", "--topology", "torus100x100", "--workload", "resnet50",      "--batch-per-accelerator",
    "8",       "--fidelity", "fluid",        "--set",      "engine=simgrid"};

}  // namespace

TEST_CASE("after a second a line on the terminal says how long it has taken, and is wiped before the error") {
  const ScratchFolder folder;
  const std::string late = late_file(folder);
  RunningMlsim run({"predict", "--topology", late, "--workload", "resnet50"}, RunningMlsim::Stderr::terminal);
  CHECK_THAT(run.said("[(]2 s", 30),
             ContainsSubstring(
                 "\r\033[Kmlsim: choosing what the question leaves open: building the system (1 s)\r\033[Kmlsim: "));
  std::ofstream(late) << "x: [\n";
  CHECK(run.code_within(30) == 2);
  CHECK_THAT(run.said("late.yaml", 0), Catch::Matchers::Matches("[^]*s[)]\r\033\\[Kmlsim: [^\r]*late.yaml[^\r]*\r\n"));
}

TEST_CASE("on a pipe and with --quiet nothing is shown") {
  const ScratchFolder folder;
  const std::string late = late_file(folder);
  std::vector<std::string> asked{"predict", "--topology", late, "--workload", "resnet50"};
  RunningMlsim on_pipe(asked, RunningMlsim::Stderr::pipe);
  CHECK_FALSE(on_pipe.wait_for_words(2.5));
  asked.push_back("--quiet");
  RunningMlsim quiet(asked, RunningMlsim::Stderr::terminal);
  CHECK_FALSE(quiet.wait_for_words(2.5));
}

TEST_CASE("a long simulation says its phases and the share that is done") {
  RunningMlsim run(kLongPrediction, RunningMlsim::Stderr::terminal);
  CHECK_THAT(run.said("simulating the step, [0-9]+ %", 60),
             Catch::Matchers::Matches("[^]*simulating the step, [0-9]+ %[^]*"));
}

TEST_CASE("many questions are counted") {
  RunningMlsim run({"validate", "published"}, RunningMlsim::Stderr::terminal);
  CHECK_THAT(run.said("answering cases, [0-9]+ of", 60),
             Catch::Matchers::Matches("[^]*answering cases, [0-9]+ of [0-9]+[^]*"));
}
