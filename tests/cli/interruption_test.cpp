// Ctrl-C and SIGTERM: the exit code, the sentence, and what is left behind.
#include <fstream>

#include "catch.hpp"
#include "running_mlsim.hpp"
#include "scratch_folder.hpp"

namespace {

constexpr double kSoon = 15;  // s; a second on a machine that does nothing else

using Words = std::vector<std::string>;

// Takes minutes, in a forked child.
const Words kForEver{"predict",    "--topology", "torus100x100", "--workload",     "resnet50",
                     "--fidelity", "fluid",      "--set",        "engine=simgrid", "--batch-per-accelerator",
                     "8"};

void check_interrupted(RunningMlsim& run, int code, const std::string& where) {
  CHECK(run.code_within(kSoon) == code);
  CHECK_THAT(run.said("interrupted", 0), Catch::Matchers::Matches("mlsim: interrupted after [0-9]+ s" + where + "\n"));
  CHECK(run.alone_within(kSoon));
}

}  // namespace

TEST_CASE("Ctrl-C ends a long prediction with a sentence and leaves no process and no file") {
  const ScratchFolder folder;
  const std::string output = folder.file("old.json", "as it was");
  Words asked = kForEver;
  asked.insert(asked.end(), {"--output", output, "--trace", folder.path("t.json"), "--format", "json"});
  RunningMlsim run(asked, RunningMlsim::Stderr::pipe);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  run.signal_group(SIGINT);  // as a terminal does
  check_interrupted(run, 130, "( while .*)?");
  CHECK(text_of(output) == "as it was");
  CHECK(folder.entries() == 1);
}

TEST_CASE("SIGTERM ends the child of a simulation with it, and says how far it was") {
  RunningMlsim run(kForEver, RunningMlsim::Stderr::terminal);
  REQUIRE_THAT(run.said("simulating the step, [0-9]+ %", 60), ContainsSubstring("%"));
  run.signal(SIGTERM);
  CHECK(run.code_within(kSoon) == 143);
  CHECK_THAT(run.said("interrupted", 0),
             Catch::Matchers::Matches("[^]*\r\033\\[Kmlsim: interrupted after [0-9]+ s while "
                                      "simulating the step, [0-9]+ % done\r\n"));
  CHECK(run.alone_within(kSoon));
}

TEST_CASE("Ctrl-C ends a validation and all that answer its cases") {
  RunningMlsim run({"validate", "published"}, RunningMlsim::Stderr::pipe);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  run.signal_group(SIGINT);
  check_interrupted(run, 130, "( while .*)?");
}

TEST_CASE("Ctrl-C ends a plan, and a report that asks many sizes") {
  const ScratchFolder folder;
  for (const Words& asked : {Words{"plan", "--workload", "bert-large", "--deadline", "2h"},
                             Words{"predict", "--topology", "dgx-a100:nodes=128", "--workload", "bert-large",
                                   "--report", folder.path("page.html")}}) {
    RunningMlsim run(asked, RunningMlsim::Stderr::pipe);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    run.signal_group(SIGINT);
    if (run.code_within(kSoon) == 0) continue;  // a quick machine
    check_interrupted(run, 130, "( while .*)?");
  }
}

TEST_CASE("Ctrl-C ends a command that waits for its input") {
  const ScratchFolder folder;
  const std::string late = late_file(folder);
  RunningMlsim run({"predict", "--topology", late, "--workload", "resnet50"}, RunningMlsim::Stderr::pipe);
  CHECK_FALSE(run.wait_for_words(1));
  run.signal(SIGINT);
  check_interrupted(run, 130, " while choosing what the question leaves open: building the system");
}

TEST_CASE("Ctrl-C of a sweep keeps its rows for the same command") {
  const ScratchFolder folder;
  const std::string store = folder.path("s.sqlite");
  RunningMlsim run({"sweep", "--topology", "dgx-a100:nodes=1..64", "--workload",
                    "resnet50,bert-large,transformer-big,gnmt,ssd", "--batch-per-accelerator", "1..64", "--set",
                    "overlap=on,off", "--set", "sharded_update=on,off", "--output", store},
                   RunningMlsim::Stderr::pipe);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  run.signal_group(SIGTERM);
  CHECK(run.code_within(kSoon) == 143);
  CHECK_THAT(
      run.said("interrupted", 0),
      Catch::Matchers::Matches("mlsim: interrupted (after [0-9]+ of [0-9]+ points; the same command goes on with "
                               "the others|after [0-9]+ s.*)\n"));
  CHECK(run.alone_within(kSoon));
  CHECK(folder.entries() <= 1);
}

TEST_CASE("a terminal that is closed ends a command") {
  const ScratchFolder folder;
  RunningMlsim run({"predict", "--topology", late_file(folder), "--workload", "resnet50"}, RunningMlsim::Stderr::pipe);
  CHECK_FALSE(run.wait_for_words(1));
  run.signal(SIGHUP);
  check_interrupted(run, 129, " while choosing what the question leaves open: building the system");
}

TEST_CASE("a SIGINT that is ignored from the start stays ignored") {
  const ScratchFolder folder;
  const std::string late = late_file(folder);
  std::signal(SIGINT, SIG_IGN);
  RunningMlsim run({"predict", "--topology", late, "--workload", "resnet50"}, RunningMlsim::Stderr::pipe);
  std::signal(SIGINT, SIG_DFL);
  CHECK_FALSE(run.wait_for_words(0.5));
  run.signal(SIGINT);
  std::ofstream(late) << "x: [\n";
  CHECK(run.code_within(kSoon) == 2);
}
