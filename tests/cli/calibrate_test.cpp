// `mlsim calibrate` with measuring programs that are a few lines of shell, beside a copy of mlsim.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "bad_case.hpp"
#include "calibration_bench.hpp"
#include "catch.hpp"
#include "core/process/machine_turn.hpp"
#include "run_mlsim.hpp"

using Json = nlohmann::json;

namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a calibration writes a profile, prints what it measured and leaves nothing else") {
  const CalibrationBench bench;
  const ProgramRun run = bench.calibrate(kSmallCalibration);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("kernel dense_forward fp32 128 2000 1"));
  CHECK_THAT(run.out, ContainsSubstring("GFLOP/s"));
  const Json profile = Json::parse(bench.file("profile.json"));
  CHECK(profile["kernels"].size() >= 5);
  CHECK(profile["kernels"][0]["threads"] == 1);
  CHECK(profile["environment"]["fake"] == "1.0");
  CHECK(profile["environment"]["clock"] == "2.00 to 2.00 GHz, median 2.00");
  CHECK_FALSE(bench.has("profile.json.journal"));
}

TEST_CASE("what ran in a library's reference implementation is measured and named, and no law is fitted to it") {
  const CalibrationBench bench("mlsim-cpu", "", "[],\"implementation\":\"ref:any\"");
  const ProgramRun run = bench.calibrate(kSmallCalibration);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("ref:any") && ContainsSubstring("reference implementation"));
  const Json profile = Json::parse(bench.file("profile.json"));
  CHECK(profile["kernels"][0]["implementation"] == "ref:any");
  CHECK(profile["probes"][0]["implementation"] == "ref:any");
  CHECK(profile["laws"].empty());
}

TEST_CASE("another calibration adds to the profile that is there") {
  const CalibrationBench bench;
  REQUIRE(bench.calibrate(kSmallCalibration + "--cache cold").code == 0);
  const std::size_t kernels = Json::parse(bench.file("profile.json"))["kernels"].size();
  REQUIRE(bench.calibrate(kSmallCalibration + "--cache hot").code == 0);
  CHECK(Json::parse(bench.file("profile.json"))["kernels"].size() == 2 * kernels);
}

TEST_CASE("when a measuring program dies, what it measured is kept and the next run goes on") {
  const CalibrationBench bench("mlsim-cpu", "3Q5;");
  const ProgramRun died = bench.calibrate(kSmallCalibration + "--output new.json");
  CHECK(died.code == 3);
  CHECK_THAT(died.err, ContainsSubstring("mlsim-cpu ended with code 5"));
  CHECK(died.out.empty());
  CHECK_FALSE(bench.has("new.json"));
  CHECK(lines(bench.file("new.json.journal")) == 3);  // its identity and two replies
  bench.replace("mlsim-cpu", "");
  const ProgramRun other = bench.calibrate(kSmallCalibration + "--output new.json --seed 5");
  CHECK(other.code == 2);
  CHECK_THAT(other.err, ContainsSubstring("by another plan"));
  const ProgramRun again = bench.calibrate(kSmallCalibration + "--output new.json");
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK_FALSE(bench.has("new.json.journal"));
}

TEST_CASE("a second calibration into one profile is refused with the name of the first") {
  const CalibrationBench bench("mlsim-cpu", "3{s/.*//;s/^/sleep 100/;e\n};");
  const std::string command =
      "cd '" + bench.folder().path().string() + "' && { timeout -s KILL 20 ./mlsim calibrate " + kSmallCalibration +
      ">out1 2>err1 & for i in $(seq 100); do [ -s profile.json.lock ] && break; sleep 0.1; done; "
      "./mlsim calibrate " +
      kSmallCalibration + ">out 2>err; code=$?; kill -9 $(pgrep -P $!); wait; exit $code; }";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 2);
  CHECK_THAT(bench.file("err"), ContainsSubstring("profile.json: is being written by process ") &&
                                    ContainsSubstring("(mlsim calibrate); wait until that has ended"));
  bench.replace("mlsim-cpu", "");
  CHECK(bench.calibrate(kSmallCalibration).code == 0);  // the lock of the dead is nobody's
  CHECK_FALSE(bench.has("profile.json.lock"));
}

TEST_CASE("a calibration waits for another of the machine, whatever its profile") {
  const CalibrationBench bench;
  std::optional<mlsim::MachineTurn> other(std::in_place, "mlsim.calibrate", [](const std::string&) {});
  const ProgramRun waits = bench.calibrate(kSmallCalibration, "timeout 3");
  CHECK(waits.code == 124);
  CHECK_THAT(waits.err,
             ContainsSubstring("waiting: process " + std::to_string(::getpid()) + " calibrates this machine"));
  CHECK_FALSE(bench.has("profile.json"));
  other.reset();
  CHECK(bench.calibrate(kSmallCalibration).code == 0);
}

TEST_CASE("when a calibration is killed, its measuring program ends with it") {
  const CalibrationBench bench;
  const std::string program = bench.folder().file(
      "mlsim-cpu", "#!/bin/sh\n[ \"$1\" = --versions ] && { echo '{}'; exit 0; }\necho $$ >pid\nexec sleep 100\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string command = "cd '" + bench.folder().path().string() + "' && { ./mlsim calibrate " +
                              kSmallCalibration +
                              ">out 2>err & for i in $(seq 100); do [ -s pid ] && break; sleep 0.1; done; kill -9 $!; "
                              "wait; for i in $(seq 50); do kill -0 $(cat pid) || exit 0; sleep 0.1; done; exit 1; } "
                              "2>/dev/null";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("measurements on a busy machine are said to be noisy, and widen the interval of what rests on them") {
  const CalibrationBench bench("mlsim-cpu", "");
  CHECK_THAT(bench.calibrate(kSmallCalibration + "--output quiet.json").err, !ContainsSubstring("noise"));
  std::string text = bench.file("mlsim-cpu");
  const std::string quiet = "\"upper_quartile_s\":0.001";
  text.replace(text.find(quiet), quiet.size(), "\"upper_quartile_s\":0.00441");
  bench.folder().file("mlsim-cpu", text);
  const ProgramRun run = bench.calibrate(kSmallCalibration + "--output noisy.json");
  CHECK(run.code == 0);
  CHECK_THAT(run.err, ContainsSubstring("measurements have a noise of more than 25 %") &&
                          ContainsSubstring("of 341 %") && ContainsSubstring("something else runs on this machine"));
  const auto at = [&](const std::string& name) { return bench.folder().path(name); };
  if (run_mlsim("topology --profile " + at("quiet.json") + " --output " + at("here.yaml")).code == 3) return;
  const auto width = [&](const std::string& profile) {
    const ProgramRun answer = run_mlsim("predict --workload logreg-epsilon --batch-per-accelerator 128 --format json " +
                                        ("--topology " + at("here.yaml") + " --profile " + at(profile)));
    REQUIRE(answer.code == 0);
    const Json interval = Json::parse(answer.out)["interval"]["step_time_s"];
    return interval[1].get<double>() / interval[0].get<double>();
  };
  CHECK(width("noisy.json") > 3 * width("quiet.json"));
}

TEST_CASE("with stderr closed no message goes into the journal") {
  const CalibrationBench bench("mlsim-cpu", "3Q5;");
  const std::string command =
      "cd '" + bench.folder().path().string() + "' && ./mlsim calibrate " + kSmallCalibration + ">out 2>&-";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  const std::string journal = bench.file("profile.json.journal");
  CHECK(lines(journal) == 3);
  CHECK_THAT(journal, !ContainsSubstring("mlsim: "));
  bench.replace("mlsim-cpu", "");
  CHECK(bench.calibrate(kSmallCalibration).code == 0);
}

TEST_CASE("Ctrl-C keeps what was measured and says how to go on") {
  // The third order is never answered.
  const CalibrationBench bench("mlsim-cpu", "3{s/.*//;s/^/sleep 100/;e\n};");
  const std::string command = "cd '" + bench.folder().path().string() +
                              "' && timeout --preserve-status -s INT 4 ./mlsim calibrate " + kSmallCalibration +
                              ">out 2>err";
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK_THAT(bench.file("err"), ContainsSubstring("interrupted after 2 of"));
  CHECK_THAT(bench.file("err"), ContainsSubstring("the same command goes on"));
  CHECK(lines(bench.file("profile.json.journal")) == 3);
}

TEST_CASE("a dry run prints the plan and its cost and touches nothing") {
  const CalibrationBench bench("");
  const ProgramRun run = bench.calibrate("--dry-run --output z.json " + kSmallCalibration);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("dense_weight_gradient fp32 128 2000 1"));
  CHECK_THAT(run.out, ContainsSubstring("measurements, at most about"));
  CHECK(bench.folder().entries() == 3);  // mlsim and the two of this test
}

TEST_CASE("without its measuring program nothing can be calibrated") {
  const ProgramRun run = CalibrationBench("").calibrate(kSmallCalibration);
  CHECK(run.code == 3);
  CHECK_THAT(run.err, ContainsSubstring("mlsim-cpu is not beside mlsim") && ContainsSubstring("apt-get install"));
}

TEST_CASE("a measuring program that lacks what it needs makes calibrating unavailable") {
  const CalibrationBench bench("mlsim-cpu", "s/.*/no memory/;w /dev/stderr\nQ3;");
  const ProgramRun run = bench.calibrate(kSmallCalibration);
  CHECK(run.code == 3);
  CHECK_THAT(run.err, ContainsSubstring("no memory"));
  CHECK_FALSE(bench.has("profile.json"));
}

TEST_CASE("a full disk leaves the earlier profile as it was") {
  const CalibrationBench bench;
  REQUIRE(bench.calibrate(kSmallCalibration).code == 0);
  const std::string earlier = bench.file("profile.json");
  const ProgramRun run = bench.calibrate(kSmallCalibration, "trap '' XFSZ; ulimit -f 0;");  // stderr's file, too
  CHECK(run.code == 2);
  CHECK(bench.file("profile.json") == earlier);
}

TEST_CASE("an earlier file that is no profile, or another accelerator's, is refused before anything is measured") {
  const CalibrationBench bench;
  bench.folder().file("notes.json", "{}");
  CHECK(bench.calibrate(kSmallCalibration + "--output notes.json").code == 2);
  CHECK(bench.file("notes.json") == "{}");
  REQUIRE(bench.calibrate(kSmallCalibration).code == 0);
  const ProgramRun run = bench.calibrate(kSmallCalibration + "--accelerator other");
  CHECK(run.code == 2);
  CHECK_THAT(run.err, ContainsSubstring("choose another --output"));
  CHECK(bench.calibrate(kSmallCalibration + "--output /dev/full").code == 2);
}

TEST_CASE("a time limit that is over leaves out what was not begun and says so") {
  const CalibrationBench bench("mlsim-cpu", "2{h;s/.*/sleep 2/;e\ng};");
  const ProgramRun run = bench.calibrate(kSmallCalibration + "--time-limit 1s");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, ContainsSubstring("2 of") && ContainsSubstring("fitted into the time limit"));
}

TEST_CASE("under mpirun rank 0 measures collectives and the others are measuring programs") {
  const CalibrationBench bench("mlsim-mpi", "", "[\"left\",\"left\"]");
  const std::string two = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_RANK=";
  const std::string options =
      "--collectives all-reduce,point-to-point --precision fp32 --sizes quick --max-bytes '64 KiB'";
  const ProgramRun run = bench.calibrate(options, two + "0");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("algbw") && ContainsSubstring("# Fit of"));
  CHECK_THAT(run.out,
             ContainsSubstring("# Using devices\n#  Rank  0 Group  0 Pid      0 on       left device  0 [cpu] mpi\n"
                               "#  Rank  1 Group  0 Pid      0 on       left device  1 [cpu] mpi\n"));
  REQUIRE(bench.calibrate(options, two + "0").code == 0);
  const Json profile = Json::parse(bench.file("profile.json"));
  REQUIRE(profile["collectives"].size() == 2);
  CHECK(profile["collectives"][0]["ranks_per_node"] == 2);
  CHECK(profile["collectives"][0]["points"][0]["launches_s"].size() == 2);
  const ProgramRun other = bench.calibrate(options + " </dev/null", two + "1");
  CHECK(other.code == 0);
  CHECK(other.out.empty());
  const ProgramRun alone = bench.calibrate(options, "OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0");
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, ContainsSubstring("one rank has nobody"));
}

TEST_CASE("wrong words of a calibration are refused with the nearest right one") {
  const std::vector<BadCase> cases{
      {"calibrate --devise cpu", "did you mean \"--device\"?"},
      {"calibrate --device cudda", "did you mean \"cuda\"?"},
      {"calibrate --workload resnet20-cifer", "did you mean \"resnet20-cifar\"?"},
      {"calibrate --precision fp23", "--precision: "},
      {"calibrate --batch-per-accelerator 0", "--batch-per-accelerator: "},
      {"calibrate --threads 1,many", "--threads: "},
      {"calibrate --threads 100000", "more than the"},
      {"calibrate --device cuda --threads 2", "--threads: "},
      {"calibrate --cache warm", "--cache: "},
      {"calibrate --fusion maybe", "--fusion: "},
      {"calibrate --noise 2", "between 0 and 1"},
      {"calibrate --time-limit 10", "--time-limit: "},
      {"calibrate --time-limit 0s", "--time-limit: "},
      {"calibrate --seed x", "--seed: "},
      {"calibrate --output ''", "is empty"},
      {"calibrate --collectives all-reduce", "mpirun -n 2 mlsim calibrate"},
  };
  check(cases);
}

TEST_CASE("what was an option of calibrate and has a command of its own is refused with that command") {
  check({{"calibrate --import nccl.log", "--import: has a command of its own: mlsim import FILE"},
         {"calibrate --complete-on dgx-h100:nodes=2", "mlsim import --complete-on TOPOLOGY"},
         {"calibrate --quick --cluster here.yaml", "mlsim topology --profile FILE.json --output FILE.yaml"},
         {"calibrate --nccl-topology a.xml --cluster a.yaml", "mlsim topology --nccl FILE.xml"},
         {"calibrate --cluster a.yaml --hwloc a.xml", "mlsim topology --hwloc FILE.xml"}});
  CHECK_THAT(run_mlsim("calibrate --help").out, !ContainsSubstring("--import"));
  const ScratchFolder folder;
  check({{"calibrate --import nccl.log --dry-run --output '" + folder.path("z.json") + "'", "mlsim import FILE"}});
  CHECK(folder.entries() == 0);
}
