// `mlsim replay` on two ranks of this host, and in the lab against its prediction.
#include <filesystem>

#include "catch.hpp"
#include "core/replay_run.hpp"
#include "mpi_run.hpp"

namespace mlsim::test {
namespace {

using Catch::Matchers::ContainsSubstring;

// `command` as a shell reads it; stopped after `limit_s`.
MpiRun run_command(const std::string& command, int limit_s) {
  const ScratchFolder scratch;
  const int status = std::system(("timeout " + std::to_string(limit_s) + " " + command + " >'" + scratch.path("out") +
                                  "' 2>'" + scratch.path("err") + "'")
                                     .c_str());
  MpiRun run;
  if (WIFEXITED(status)) run.code = WEXITSTATUS(status);
  run.out = text_of(scratch.path("out"));
  run.err = text_of(scratch.path("err"));
  return run;
}

const std::string kReplay = "'" MLSIM_PROGRAM "' replay ";

ReplayRun replayed_on(const std::string& launcher, const std::string& options) {
  const ScratchFolder scratch;
  const std::string output = scratch.path("run.json");
  const MpiRun run = run_command(launcher + kReplay + options + " --output '" + output + "'", 60);
  INFO(run.err);
  REQUIRE(run.code == 0);
  return replay_run_from_json(text_of(output), output);
}

const std::string kTwoRanks = std::string(kLoopback) + " -n 2 ", kFourRanks = std::string(kLoopback) + " -n 4 ";

}  // namespace

TEST_CASE("real ranks learn what one rank learns of all their samples") {
  for (const std::string library : {"mpi", "gloo"}) {
    if (library == "gloo" && !std::filesystem::exists("/sys/class/net")) continue;
    for (const std::string setting : {"overlap=on", "sharded_update=on", "variable_update=parameter_server"}) {
      INFO(library << " " << setting);
      const std::string options =
          "--workload logreg-epsilon --batch 8 --steps 2 --backend " + library + " --set " + setting;
      const ReplayRun two = replayed_on(kTwoRanks, options), four = replayed_on(kFourRanks, options);
      CHECK(two.hosts.size() == 2);
      CHECK(four.ranks.size() == 4);
      CHECK(two.numbers == ReplayNumbers::learnt);
      CHECK(two.weights_error < 1e-6);
      CHECK(four.weights_error < 1e-6);
    }
  }
}

// Ranks of one host share a clock, so that what is estimated is the error.
TEST_CASE("the clocks of one host are found to be one, within the error that is stated") {
  const ReplayRun run = replayed_on(kTwoRanks, "--workload logreg-epsilon --batch 8 --steps 2 --backend mpi");
  REQUIRE(run.clocks.size() == 2);
  CHECK(std::abs(run.clocks[1].lead.value) <= run.clocks[1].error.value);
  CHECK(run.clocks[1].error < milliseconds(5));
}

TEST_CASE("a pipeline of two ranks sends activations one way and gradients the other") {
  const ReplayRun run = replayed_on(
      kTwoRanks,
      "--workload resnet20-cifar --batch 4 --steps 2 --parallelism pipeline=2,micro_batches=2 --backend mpi");
  int forward = 0, backward = 0;
  for (const ReplayNode& node : run.nodes) {
    if (node.exchange && node.name.find("activations") != std::string::npos) ++forward;
    if (node.exchange && node.name.find("gradients") != std::string::npos) ++backward;
  }
  CHECK(forward == 2);
  CHECK(backward == 2);
  CHECK(run.numbers == ReplayNumbers::own_operands);
}

TEST_CASE("a rank that dies in the middle of a replay ends it: it is named, and there is no run file") {
  const ScratchFolder scratch;
  const std::string output = scratch.path("run.json"),
                    rank = kReplay + "--workload resnet20-cifar --batch 16 --steps 100000 --backend mpi --output '" +
                           output + "'";
  const MpiRun run = run_command(std::string(kLoopback) + " -n 1 " + rank + " : -n 1 timeout -s KILL 4 " + rank, 60);
  INFO(run.err);
  CHECK(run.code != 0);
  CHECK(run.code != 124);  // the limit's own
  CHECK_THAT(run.err, ContainsSubstring("rank 1"));
  CHECK_FALSE(std::filesystem::exists(output));
}

TEST_CASE("a step in the lab takes what was predicted of it before", "[lab]") {
  const ScratchFolder scratch;
  const std::string profile = scratch.path("profile.json"), machine = scratch.path("machine.yaml"),
                    run = scratch.path("run.json"), lab = "'" MLSIM_LAB "' 2 100mbit 32kb -- ",
                    mlsim = "'" MLSIM_PROGRAM "' ";
  // Logistic regression on 100 Mbit/s is nearly all exchange; its few kernels are measured in seconds.
  const MpiRun kernels =
      run_command(mlsim +
                      "calibrate --workload logreg-epsilon --batch-per-accelerator 512 --threads 1 --fusion on "
                      "--precision fp32 --noise 0.1 --time-limit 15s --quiet --output '" +
                      profile + "'",
                  60);
  INFO(kernels.err);
  REQUIRE(kernels.code == 0);
  const MpiRun exchanges =
      run_command(lab + mlsim +
                      "calibrate --collectives all-reduce,point-to-point --library gloo --precision fp32 -b 4K -e 256K "
                      "--time-limit 30s --quiet --output '" +
                      profile + "'",
                  60);
  INFO(exchanges.err);
  REQUIRE(exchanges.code == 0);
  REQUIRE(run_command(mlsim + "topology --profile '" + profile +
                          "' | sed 's/^  host:/  nic: {count: 1, at: host, "
                          "bandwidth: 100 Mbit\\/s, latency: 12 us}\\n  host:/' >'" +
                          machine + "'; true",
                      60)
              .code == 0);
  MpiRun compared;
  for (int attempt = 0; attempt < 3 && compared.code != 0; ++attempt) {  // a busy machine can only slow it
    const MpiRun measured =
        run_command(lab + kReplay + "--workload logreg-epsilon --batch 512 --steps 20 --output '" + run + "'", 60);
    INFO(measured.err);
    REQUIRE(measured.code == 0);
    compared = run_command(
        mlsim + "validate replay '" + run + "' --profile '" + profile + "' --topology '" + machine + "' --bound 50%",
        60);
  }
  INFO(compared.out << compared.err);
  CHECK(compared.code == 0);
  CHECK_THAT(compared.out, ContainsSubstring("contention"));
}

}  // namespace mlsim::test
