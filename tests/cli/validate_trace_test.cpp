// `mlsim validate trace`: recorded steps against the same steps replayed.
#include <nlohmann/json.hpp>
#include <sstream>

#include "bad_case.hpp"
#include "catch.hpp"
#include "replay/toy_trace.hpp"
#include "run_mlsim.hpp"

using namespace mlsim::test;

namespace {

const std::string kPublished = MLSIM_SOURCE_DIR "/validation/published/traces/";

// Eight ranks whose all-reduce of 4 MB takes `us`.
std::string reducing(const ScratchFolder& folder, double us) {
  ToyTrace trace(0, 8);
  trace.step(1, 0, 450 + us);
  for (int i = 0; i < 8; ++i) trace.kernel("gemm", 10 + 50 * i, 45);
  trace.around("user_annotation", "nccl:all_reduce", 400, 6, R"("Input Dims": [[1000000]], "Input type": ["float"])");
  trace.kernel("ncclKernel_AllReduce", 410, us, 8, 20);
  trace.kernel("update", 412 + us, 20, 50);
  return trace.in(folder, "rank0.json");
}

}  // namespace

TEST_CASE("a trace's step is replayed, with its collectives on the system that is named") {
  const ScratchFolder folder;
  const std::string file = reducing(folder, 85);
  const ProgramRun run = run_mlsim("validate trace '" + file + "' --topology dgx-a100");
  INFO(run.out << run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("simulated"));
  CHECK_THAT(run.out, ContainsSubstring("all-reduce"));
  CHECK_THAT(run.out, ContainsSubstring("within the bound"));
  CHECK_THAT(run.out, ContainsSubstring("Simulated less recorded, rank 0:"));
  const ProgramRun json = run_mlsim("validate trace '" + file + "' --topology dgx-a100 --format json");
  const auto result = nlohmann::json::parse(json.out);
  CHECK(result["within_bound"] == true);
  CHECK(result["ranks"][0]["recorded"]["step_s"].get<double>() == Approx(535e-6));
  CHECK(std::abs(result["replayed_error"].get<double>()) < 0.05);
  CHECK(result["collectives"][0]["judged"] == true);
  CHECK(result["collectives"][0]["payload_bytes"] == 4e6);
}

TEST_CASE("a collective beyond the bound is told by exit code 1") {
  const ScratchFolder folder;
  const ProgramRun run = run_mlsim("validate trace '" + reducing(folder, 500) + "' --topology dgx-a100");
  CHECK(run.code == 1);
  CHECK_THAT(run.out, ContainsSubstring("1 of 1 kinds of collectives of 1 MB and more beyond"));
  CHECK(run_mlsim("validate trace '" + reducing(folder, 500) + "' --topology dgx-a100 --bound 100%").code == 0);
}

TEST_CASE("the table of a pipeline's operations that diagnose takes is replayed, step by step") {
  const std::string table = MLSIM_SOURCE_DIR "/replay/recorded/llm_8_accelerators.csv";
  const ProgramRun run = run_mlsim("validate trace " + table + " --format json");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const auto result = nlohmann::json::parse(run.out);
  CHECK(std::abs(result["replayed_error"].get<double>()) < 0.02);
  REQUIRE(!result["pipeline"].empty());
  // The step's time by the table itself: from the first operation's begin to the last one's end.
  std::istringstream lines(text_of(table));
  std::string line;
  double begin = 1e18, end = 0;
  const int first = result["pipeline"][0]["step"];
  while (std::getline(lines, line)) {
    if (!line.starts_with(std::to_string(first) + ",")) continue;
    const auto last = line.rfind(','), before = line.rfind(',', last - 1);
    const double start = std::stod(line.substr(before + 1)), takes = std::stod(line.substr(last + 1));
    begin = std::min(begin, start);
    end = std::max(end, start + takes);
  }
  CHECK(result["pipeline"][0]["recorded_s"].get<double>() == Approx((end - begin) * 1e-6));
  CHECK_THAT(run_mlsim("validate trace " + table).out, ContainsSubstring("Replayed step"));
  check({{"validate trace " + table + " --topology dgx-a100", "--topology: is of no use to a pipeline's operations"}});
}

TEST_CASE("a group that the file does not say, or that is none of the job's, is told of") {
  const ScratchFolder folder;
  const ProgramRun unknown = run_mlsim("validate trace '" + reducing(folder, 85) + "' --topology dgx-a100");
  CHECK_THAT(unknown.out, ContainsSubstring("the file does not say the groups of 1 collectives"));
  const auto grouped = [&](int size) {
    ToyTrace trace(0, 8);
    trace.step(1, 0, 450).kernel("gemm", 10, 300);
    trace.kernel("ncclDevKernel_AllReduce", 320, 85, 8, 20,
                 R"(, "Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float", "Group size": )" +
                     std::to_string(size));
    return run_mlsim("validate trace '" + trace.in(folder, "grouped.json") + "' --topology dgx-a100");
  };
  CHECK_THAT(grouped(3).out, ContainsSubstring("groups of 3 ranks do not divide the job's 8"));
  CHECK(grouped(4).out.find("groups of") == std::string::npos);
  CHECK(grouped(16).code == 2);
  CHECK_THAT(grouped(16).err, ContainsSubstring("all-reduce of a group of 16 ranks, in a job of 8"));
}

TEST_CASE("what would be otherwise is told beside the verdict") {
  const ProgramRun run =
      run_mlsim("validate trace '" + kPublished + "recommender_8xa100.csv' --topology dgx-a100 --set slow_rank=0:0.5");
  CHECK_THAT(run.out, ContainsSubstring("What if: rank 0 at 0.5 of its speed: the step takes"));
}

TEST_CASE("published traces have a table of their own") {
  const ProgramRun run = run_mlsim("validate trace --published");
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("ResNet-50, fp32, batch 32, 1 V100"));
}

TEST_CASE("validate trace refuses what is none of its, at its place") {
  const ScratchFolder folder;
  const std::string file = "'" + reducing(folder, 60) + "'", before = text_of(folder.path("rank0.json"));
  const std::string steps = "'" + kPublished + "recommender_8xa100.csv'";
  check({{"validate trace", "FILE: is needed behind trace"},
         {"validate trace missing.csv", "missing.csv: cannot be opened"},
         {"validate trace missing.json", "missing.json: cannot be read"},
         {"validate trace '" + std::string(MLSIM_SOURCE_DIR) + "/tests/fuzz/seeds/kineto/array.json'",
          "array.json: its step takes no time"},
         {"validate trace " + file + " --output " + file, "is read by"},
         {"validate trace " + file + " --bound most", "--bound: \"most\" does not start with a finite number"},
         {"validate trace " + file + " --bound -1%", "--bound: is below 0"},
         {"validate trace " + file + " --topology dgx-a10", "did you mean \"dgx-a100\""},
         {"validate trace " + file + " --topology dgx1-v100 --ranks none", "--ranks: "},
         {"validate trace " + file + " --ranks 16", "--topology: is needed"},
         {"validate trace " + file + " --cases x.csv", "unknown option \"--cases\""},
         {"validate trace " + file + " --format markdown", "--format: unknown"},
         {"validate trace " + file + " --published", "--published excludes"},
         {"validate trace " + file + " --set slow_rank=9:0.5", "the job has ranks 0 to 7"},
         {"validate trace " + file + " --set slow_rank=x", "--set slow_rank=x: "},
         {"validate trace " + file + " --set stack=mxnet", "changes nothing for a collective by itself"},
         {"validate trace " + file + " --batch 32", "--workload: is needed beside --batch"},
         {"validate trace " + file + " --workload resnet50", "--batch: is needed beside --workload"},
         {"validate trace " + steps + " --topology dgx-a100 --workload resnet50 --batch 8:x", "--batch: "},
         {"validate trace " + steps + " --topology dgx-a100 --instead dgx-h100", "kernels keep their own times"},
         {"validate trace '" + kPublished + "resnet50_2xa100.csv' --set slow_rank=0:0.5", "bound by the host", 1},
         {"validate published --topology dgx-a100", "unknown option \"--topology\""},
         {"validate published x.json", "\"x.json\" was not expected after `mlsim validate published`"}});
  CHECK(text_of(folder.path("rank0.json")) == before);
}
