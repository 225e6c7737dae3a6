// `mlsim replay` by one rank, and what it and `validate replay` refuse. Runs of several ranks: tests/lab.
#include <filesystem>
#include <fstream>

#include "bad_case.hpp"
#include "core/result/replay_run.hpp"

namespace {

const std::string kSample = MLSIM_SOURCE_DIR "/examples/calibrated-processor/";

bool can_replay() {
  if (std::filesystem::exists(std::filesystem::path(MLSIM_PROGRAM).parent_path() / "mlsim-replay")) return true;
  WARN("skipped: mlsim-replay was left out, for lack of MPI or of kernels for processors");
  return false;
}

// As root too.
const std::string kAlone = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ";

}  // namespace

TEST_CASE("one rank alone runs the step and writes run file and trace") {
  if (!can_replay()) return;
  const ScratchFolder scratch;
  const std::string output = scratch.path("run.json"), trace = scratch.path("trace.json");
  const ProgramRun run = run_mlsim("replay --workload logreg-epsilon --batch 10 --steps 4 --warmup 1 --output '" +
                                       output + "' --trace '" + trace + "'",
                                   kAlone);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("logreg-epsilon, 10 samples, 1 rank on 1 host"));
  CHECK_THAT(run.out, ContainsSubstring("median of 4"));
  CHECK_THAT(run.out, ContainsSubstring("The network learnt"));
  const mlsim::ReplayRun written = mlsim::replay_run_from_json(text_of(output), output);
  CHECK(written.order.steps == 4);
  CHECK(written.step_times.size() == 4);
  CHECK(written.weights_error == 0);
  CHECK(written.time.size() == std::string("2026-11-23T07:00:00Z").size());
  CHECK_THAT(text_of(trace), ContainsSubstring("\"name\":\"classifier forward\",\"cat\":\"forward\",\"ph\":\"X\""));

  std::string foreign = text_of(kSample + "profile.json");  // may be of a machine that is named as this one is
  const std::string host = "\"host\": \"vm\"";
  REQUIRE(foreign.find(host) != std::string::npos);
  foreign.replace(foreign.find(host), host.size(), "\"host\": \"elsewhere\"");
  const std::string profile = scratch.path("profile.json");
  std::ofstream(profile) << foreign;
  const ProgramRun other =
      run_mlsim("validate replay '" + output + "' --profile '" + profile + "' --topology " + kSample + "machine.yaml");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, ContainsSubstring("profile.json: was measured on"));
}

TEST_CASE("a replay that cannot be is refused, and leaves an earlier run file whole") {
  const ScratchFolder scratch;
  const std::string output = scratch.path("run.json");
  std::ofstream(output) << "earlier";
  const std::string run = "replay --workload logreg-epsilon --batch 10 --output '" + output + "' ";
  check({{"replay --batch 10 --output x", "replay needs --workload"},
         {"replay --workload logreg-epsilon --output x", "replay needs --batch"},
         {"replay --workload logreg-epsilon --batch 10", "replay needs --output"},
         {"replay --workload logreg --batch 1.5 --output x", "--batch: \"1.5\" is no whole number from 1"},
         {"replay --workload logrex --batch 1 --output x", "logrex"},
         {run + "--steps 0", "--steps: \"0\" is no whole number from 1"},
         {run + "--backend glo", "gloo"},
         {run + "--set price=spot", "--set price=spot: changes nothing that is run"},
         {run + "--set overlap=maybe", "overlap"},
         {run + "--set sharded_update=on --set variable_update=parameter_server", "the servers add up and update"},
         {run + "--parallelism tensr=2", "--parallelism: unknown axis \"tensr\""},
         {run + "--trace '" + output + "'", "is written by --output, too; name another file"}});
  CHECK(text_of(output) == "earlier");
}

TEST_CASE("validate replay refuses what it cannot compare with") {
  const ScratchFolder scratch;
  const std::string file = scratch.path("run.json");
  std::ofstream(file) << "{\"replay_schema\": 1";
  const std::string ask = "validate replay '" + file + "' ",
                    with = ask + "--profile " + kSample + "profile.json --topology " + kSample + "machine.yaml ";
  check({{"validate replay", "validate replay needs the one run file"},
         {ask, "--profile: is needed once"},
         {ask + "--profile " + kSample + "profile.json", "--topology: is needed"},
         {with, "run.json"},
         {with + "--bound=-1%", "--bound: is below 0"},
         {with + "--cases x.csv", "unknown option \"--cases\""},
         {with + "--output '" + file + "'", "name another file"},
         {"validate published run.json", "\"run.json\" was not expected after `mlsim validate published`"}});
}
