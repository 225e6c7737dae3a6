// `mlsim replay` on two ranks of this host, and in the lab against its prediction.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "core/result/replay_run.hpp"
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

// The commands of docs/replay.md, with less to measure.
TEST_CASE("a replay of two ranks on one host is predicted from the file that topology writes", "[slow]") {
  const ScratchFolder scratch;
  const std::string program = "'" MLSIM_PROGRAM "' ", profile = scratch.path("profile.json"),
                    machine = scratch.path("machine.yaml"), output = scratch.path("run.json");
  const auto done = [](const std::string& command) {
    const MpiRun run = run_command(command, 200);
    INFO(command << run.out << run.err);
    REQUIRE(run.code == 0);
  };
  done(program +
       "calibrate --quick --workload logreg-epsilon --batch-per-accelerator 100 --threads 1 --cache hot "
       "--time-limit 30s --output '" +
       profile + "'");
  done(kTwoRanks + program +
       "calibrate --collectives all-reduce --library gloo -b 1K -e 64K --time-limit 20s --output '" + profile + "'");
  done(program + "topology --profile '" + profile + "' --output '" + machine + "'");
  done(kTwoRanks + program + "replay --workload logreg-epsilon --batch 100 --output '" + output + "'");
  const MpiRun judged = run_command(program + "validate replay '" + output + "' --profile '" + profile +
                                        "' --topology '" + machine + "' --bound 1000%",
                                    60);
  INFO(judged.out << judged.err);
  CHECK(judged.code == 0);
  CHECK_THAT(judged.out, ContainsSubstring("all-reduce by gloo, 2 ranks on 1 host"));
  CHECK_THAT(judged.out, ContainsSubstring("2 ranks share 1 processor of a node evenly"));
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

namespace {

// Two hosts of one rank on 100 Mbit/s, and the files of a replay there.
class LabOfTwo {
 public:
  LabOfTwo() {
    std::ofstream(path("net.yaml")) << R"(title: Three dense layers
target: throughput only
sample: vector of 512 features
family: linear
input: {features: 512}
dataset: {name: random numbers, train_samples: 1000, validation_samples: 0}
source: {provenance: assumed, source: "a test", date: "2026"}
layers:
  - {layer: dense, name: fc1, outputs: 256}
  - {layer: relu, name: relu1}
  - {layer: dense, name: fc2, outputs: 256}
  - {layer: relu, name: relu2}
  - {layer: dense, name: fc3, outputs: 10}
  - {layer: softmax_loss, name: loss}
)";
  }

  void calibrate() const {
    run(mlsim("calibrate --workload '" + path("net.yaml") + "' --batch-per-accelerator 32 --threads 1 --fusion on " +
              "--precision fp32 --noise 0.1 --time-limit 20s --quiet --output '" + path("profile.json") + "'"));
    run(
        lab("calibrate --collectives all-reduce,point-to-point --library gloo --precision fp32 -b 64K -e 2M "
            "--time-limit 20s --quiet --output '" +
            path("profile.json") + "'"));
    run(mlsim("topology --profile '" + path("profile.json") + "' --output '" + path("host.yaml") + "'"));
    std::string machine = text_of(path("host.yaml"));
    machine.insert(machine.find("  host:"), "  nic: {count: 1, at: host, bandwidth: 100 Mbit/s, latency: 12 us}\n");
    std::ofstream(path("machine.yaml")) << machine;
  }

  void replay() const {
    run(lab("replay --workload '" + path("net.yaml") + "' --batch 32 --steps 15 --output '" + path("run.json") + "'"));
  }

  MpiRun validate(const std::string& options) const {
    return run_command(mlsim("validate replay '" + path("run.json") + "' --profile '" + path("profile.json") +
                             "' --topology '" + path("machine.yaml") + "' " + options),
                       60);
  }

  std::string path(const char* name) const { return scratch_.path(name); }

 private:
  static std::string mlsim(const std::string& words) { return "'" MLSIM_PROGRAM "' " + words; }
  static std::string lab(const std::string& words) {
    return "'" MLSIM_LAB "' 2 100mbit 32kb -- '" MLSIM_PROGRAM "' " + words;
  }
  static void run(const std::string& command) {
    const MpiRun run = run_command(command, 90);
    INFO(command << "\n" << run.err);
    REQUIRE(run.code == 0);
  }

  ScratchFolder scratch_;
};

}  // namespace

// 0.8 MB of gradients on 100 Mbit/s, behind a few kernels. Shaping sets how fast it can be; a busy machine can only
// slow it, so it may try again.
TEST_CASE("a step in the lab takes what was predicted of it before", "[lab]") {
  const LabOfTwo lab;
  lab.calibrate();
  MpiRun compared;
  for (int attempt = 0; attempt < 4 && compared.code != 0; ++attempt) {
    lab.replay();
    compared = lab.validate("");
  }
  INFO(compared.out << compared.err);
  CHECK(compared.code == 0);
  CHECK_THAT(compared.out, ContainsSubstring("within 25 %"));
  const ReplayRun run = replay_run_from_json(text_of(lab.path("run.json")), "run.json");
  CHECK(run.hosts == std::vector<std::string>{"lab0", "lab1"});
  CHECK(run.weights_error < 1e-6);
  CHECK(lab.validate("--bound 0.0001%").code == 1);  // no prediction is that good
}

}  // namespace mlsim::test
