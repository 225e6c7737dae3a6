#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kFourPoints = "sweep --topology dgx1-v100,dgx-a100 --workload resnet50 --accelerators 4..8 ";

std::string line(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string one;
  for (int i = 0; i <= number; ++i) std::getline(lines, one);
  return one;
}

}  // namespace

TEST_CASE("a sweep's rows are predict's answers, as SQLite, CSV and JSON lines") {
  using nlohmann::json;
  const ScratchFolder scratch;
  const std::string store = scratch.path("rows.sqlite"), csv = scratch.path("rows.csv"),
                    lines = scratch.path("rows.jsonl");
  const ProgramRun run = run_mlsim(kFourPoints + "--output " + store);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("4 answered") && ContainsSubstring("dgx-a100"));
  REQUIRE(run_mlsim(kFourPoints + "--quiet --output " + csv).code == 0);
  REQUIRE(run_mlsim(kFourPoints + "--quiet --output " + lines).code == 0);
  CHECK(scratch.entries() == 3);  // nothing of the way there is left
  const ProgramRun to_stdout = run_mlsim(kFourPoints + "--quiet --format csv --output -");
  CHECK(to_stdout.out == text_of(csv));

  const auto last = json::parse(line(text_of(lines), 3));
  const auto alone =
      json::parse(run_mlsim("predict --topology dgx-a100 --workload resnet50 --accelerators 8 --format json").out);
  CHECK(last["point"] == 3);
  CHECK(last["topology"] == "dgx-a100");
  CHECK(last["status"] == "answered");
  CHECK(last["step_time_s"] == alone["step"]["time_s"]);
  CHECK(last["time_to_target_s"] == alone["time_to_target_s"]);
  CHECK(last["cost_usd"] == alone["cost_usd"]);
  CHECK(last["trust"] == alone["trust"]["level"]);
  CHECK_THAT(line(text_of(csv), 0),
             ContainsSubstring("point,topology,workload,accelerators,status,reason,time_to_target_s"));
  CHECK_THAT(line(text_of(csv), 4), ContainsSubstring("3,dgx-a100,resnet50,8,answered,,"));
}

TEST_CASE("a second call and a merge leave the same bytes") {
  const ScratchFolder scratch;
  const std::string whole = scratch.path("whole.sqlite");
  REQUIRE(run_mlsim(kFourPoints + "--quiet --output " + whole).code == 0);
  const std::string bytes = text_of(whole);
  CHECK(run_mlsim(kFourPoints + "--quiet --output " + whole).code == 0);
  CHECK(text_of(whole) == bytes);
  for (const std::string shard : {"0", "1"})
    REQUIRE(run_mlsim(kFourPoints + "--quiet --shard /2 --output " + scratch.path(shard),
                      "SLURM_ARRAY_TASK_ID=" + shard + " ")
                .code == 0);
  REQUIRE(run_mlsim("sweep --quiet --merge " + scratch.path("0") + " " + scratch.path("1") + " --output " +
                    scratch.path("merged.sqlite"))
              .code == 0);
  CHECK(text_of(scratch.path("merged.sqlite")) == bytes);
}

TEST_CASE("an array of Slurm that counts from 1 has all shards, and options beside --merge are refused") {
  const ScratchFolder scratch;
  for (const std::string task : {"1", "2"})
    REQUIRE(run_mlsim(kFourPoints + "--quiet --shard /2 --output " + scratch.path(task),
                      "SLURM_ARRAY_TASK_ID=" + task + " SLURM_ARRAY_TASK_MIN=1 ")
                .code == 0);
  const std::string merge = "sweep --quiet --merge " + scratch.path("1") + " " + scratch.path("2") + " --output " +
                            scratch.path("merged.sqlite");
  for (const std::string option : {"--topology torus4x4", "--set overlap=on", "--shard 0/2", "--restart",
                                   "--price a100=1USD/h", "--seed 3", "--time-limit 1s", "--as-is"}) {
    const ProgramRun run = run_mlsim(merge + " " + option);
    INFO(option);
    CHECK(run.code == 2);
    CHECK_THAT(run.err, ContainsSubstring(option.substr(0, option.find(' '))) && ContainsSubstring("changes nothing"));
  }
  CHECK(run_mlsim(merge).code == 0);
  const ProgramRun half = run_mlsim("sweep --quiet --merge " + scratch.path("1") + " --output " + scratch.path("half"));
  CHECK(half.code == 1);
  CHECK_THAT(half.err, ContainsSubstring("of shard 1/2"));
}

TEST_CASE("how ranks work together is asked of each system of a sweep by itself") {
  const ScratchFolder folder;
  const std::string csv = folder.path("rows.csv");
  REQUIRE(run_mlsim("sweep --topology dgx-a100 --workload bert-large --parallelism \"tensor=2|tensor=3|data=8\" "
                    "--batch-per-accelerator 8 --output " +
                    csv)
              .code == 0);
  const std::string rows = text_of(csv);
  CHECK_THAT(rows, ContainsSubstring("tensor=2"));
  CHECK_THAT(rows, ContainsSubstring("tensor=3 does not cover the 8 accelerators"));
}

TEST_CASE("slips in a sweep are refused, and what stood at the output stays") {
  const ScratchFolder scratch;
  const std::string output = scratch.file("rows.sqlite", "somebody's notes, and no store of any sweep at all");
  const auto complaint = [&](const std::string& arguments, const std::string& environment = "") {
    const ProgramRun run = run_mlsim(arguments, environment);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  const std::string to = " --output " + output;
  CHECK_THAT(complaint(kFourPoints + to), ContainsSubstring("rows.sqlite") && ContainsSubstring("stays as it is"));
  CHECK_THAT(complaint("sweep --workload resnet50" + to), ContainsSubstring("--topology"));
  CHECK_THAT(complaint("sweep --topology dgx-a10 --workload resnet50" + to), ContainsSubstring("dgx-a100"));
  CHECK_THAT(complaint(kFourPoints + "--precision fp16,fp61" + to),
             ContainsSubstring("--precision") && ContainsSubstring("fp16"));
  CHECK_THAT(complaint(kFourPoints + "--global-batch 64..2" + to), ContainsSubstring("does not go up"));
  CHECK_THAT(complaint(kFourPoints + "--set overlap=on --set overlap=off" + to), ContainsSubstring("given twice"));
  CHECK_THAT(complaint(kFourPoints + "--shard 4/4" + to), ContainsSubstring("no shard 4 of 4"));
  CHECK_THAT(complaint(kFourPoints + "--shard 4" + to), ContainsSubstring("INDEX/COUNT"));
  CHECK_THAT(complaint(kFourPoints + "--shard /4" + to), ContainsSubstring("SLURM_ARRAY_TASK_ID"));
  CHECK_THAT(complaint(kFourPoints + "--shard /4" + to, "JOB_COMPLETION_INDEX=7 "),
             ContainsSubstring("JOB_COMPLETION_INDEX") && ContainsSubstring("no shard 7 of 4"));
  CHECK_THAT(complaint(kFourPoints + "--format xml" + to), ContainsSubstring("\"csv\"") || ContainsSubstring("csv"));
  CHECK_THAT(complaint(kFourPoints + "--output " + scratch.path("no/such/folder.sqlite")),
             ContainsSubstring("no/such"));
  CHECK_THAT(complaint("sweep --merge " + output + to), ContainsSubstring("rows.sqlite"));
  CHECK_THAT(complaint("sweep --merge " + scratch.path("none") + " --output " + scratch.path("new")),
             ContainsSubstring("none"));
  CHECK(text_of(output) == "somebody's notes, and no store of any sweep at all");
  CHECK(scratch.entries() == 1);
}

TEST_CASE("a sweep that goes on after another kind of sweep says what differs") {
  const ScratchFolder scratch;
  const std::string output = scratch.path("rows.sqlite");
  REQUIRE(run_mlsim(kFourPoints + "--quiet --output " + output).code == 0);
  const std::string bytes = text_of(output);
  const ProgramRun run = run_mlsim(kFourPoints + "--precision fp32 --output " + output);
  CHECK(run.code == 2);
  CHECK_THAT(run.err, ContainsSubstring("holds another sweep (it says nothing of precision)"));
  CHECK(text_of(output) == bytes);
  CHECK(run_mlsim(kFourPoints + "--precision fp32 --quiet --restart --output " + output).code == 0);
}

TEST_CASE("a sweep of which nothing has an answer is a negative answer, and says why") {
  const ScratchFolder scratch;
  const ProgramRun run =
      run_mlsim(kFourPoints + "--batch-per-accelerator 1000000 --as-is --output " + scratch.path("rows.sqlite"));
  CHECK(run.code == 1);
  CHECK_THAT(run.out, ContainsSubstring("0 answered, 4 refused") && ContainsSubstring("! "));
}

TEST_CASE("a sweep of three axes breaks no word on 80 columns") {
  const ScratchFolder scratch;
  const ProgramRun run = run_mlsim(
      "sweep --topology dgx-a100:nodes=1,dgx-a100:nodes=2 --workload resnet50,transformer-big "
      "--batch-per-accelerator 16,32 --output " +
          scratch.path("rows.sqlite"),
      "COLUMNS=80 ");
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("\ntopology          workload         batch    chips  throughput   time to "));
  CHECK_THAT(run.out, ContainsSubstring("\n                                   per              samples/s    target "));
  CHECK_THAT(run.out, ContainsSubstring("\ndgx-a100:nodes=2  transformer-big  32          16 "));
}
