// `mlsim diagnose`: the probable cause of a slow step from recorded times, and what it says to files that are none.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "catch.hpp"
#include "replay/toy_trace.hpp"
#include "run_mlsim.hpp"

using namespace mlsim::test;

namespace {

const std::string kRecorded = std::string(MLSIM_SOURCE_DIR) + "/replay/recorded/";

// Eight ranks on two hosts; rank 5 takes `slow` times as long.
std::string own_times(const ScratchFolder& folder, double slow) {
  std::string text = "step,rank,host,own_ms\n";
  for (int step = 0; step < 4; ++step)
    for (int rank = 0; rank < 8; ++rank)
      text += fmt::format("{},{},n{},{}\n", step, rank, rank / 4, (100 + (rank + step) % 3) * (rank == 5 ? slow : 1));
  return file_with(folder, "own.csv", text);
}

std::string trace_of(const ScratchFolder& folder, int rank) {
  ToyTrace trace(rank, 4);
  for (int step = 0; step < 3; ++step) {
    const double begin = 1000.0 * step, busy = rank == 2 ? 800 : 400 + rank;
    trace.step(step, begin, 1000).kernel("gemm", begin + 10, busy - 10);
    trace.kernel("ncclKernel_AllReduce", begin + busy, 1000 - busy, 8, 20);
  }
  return trace.in(folder, fmt::format("rank{}.json", rank));
}

}  // namespace

TEST_CASE("diagnose finds a slow rank in own times, and says nothing is found with exit code 1 where nothing is") {
  const ScratchFolder folder;
  const ProgramRun run = run_mlsim("diagnose '" + own_times(folder, 1.5) + "'");
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("slow rank  rank 5 (host n1)"));
  CHECK_THAT(run.out, ContainsSubstring("To make sure: "));
  const ProgramRun healthy = run_mlsim("diagnose '" + own_times(folder, 1) + "'");
  CHECK(healthy.code == 1);
  CHECK_THAT(healthy.out, ContainsSubstring("Nothing found"));
  CHECK(healthy.err.empty());
}

TEST_CASE("diagnose names the slow worker and the uneven stage of the recorded LLM jobs, as JSON too") {
  const ProgramRun run = run_mlsim("diagnose " + kRecorded + "llm_64_accelerators.csv");
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("slow rank  data rank 0, stage 0"));
  CHECK_THAT(run.out, ContainsSubstring("tensor-parallel ranks"));
  const auto json =
      nlohmann::json::parse(run_mlsim("diagnose " + kRecorded + "llm_8_accelerators.csv --format json").out);
  CHECK(json["found"] == true);
  CHECK(json["causes"][0]["cause"] == "uneven stage");
  CHECK(json["causes"][0]["where"] == "stage 3");
  CHECK(json["causes"][0]["likelihood"].get<double>() > 0.99);
}

TEST_CASE("diagnose finds the rank of a trace that computes longest") {
  const ScratchFolder folder;
  std::string files;
  for (int rank = 0; rank < 4; ++rank) files += " '" + trace_of(folder, rank) + "'";
  const ProgramRun run = run_mlsim("diagnose" + files);
  INFO(run.out << run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("slow rank  rank 2"));
}

TEST_CASE("diagnose takes a few ranks of many by their numbers, and says that the others are not there") {
  const ScratchFolder folder;
  std::string files;
  for (const int rank : {1, 2, 3}) files += " '" + trace_of(folder, rank) + "'";
  const ProgramRun run = run_mlsim("diagnose" + files);
  INFO(run.out << run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("slow rank  rank 2"));
  CHECK_THAT(run.out, ContainsSubstring("of a job of 4 ranks 1 is not recorded (0)"));
  // In each of three steps rank 2 comes 399 us behind rank 1.
  CHECK_THAT(run.out,
             ContainsSubstring("last to arrive") && ContainsSubstring("rank 2              3   3     1.20 ms"));
}

TEST_CASE("diagnose refuses what it cannot read or compare") {
  const ScratchFolder folder;
  const std::string own = own_times(folder, 1), before = text_of(own);
  check({{"diagnose", "FILE: is needed"},
         {"diagnose no-such.csv", "no-such.csv"},
         {"diagnose '" + file_with(folder, "empty.csv", "") + "'", "empty.csv:1: is empty"},
         {"diagnose '" + own + "' '" + own + "'", "is one table too many"},
         {"diagnose '" + own + "' --output '" + own + "'", "is read by FILE; name another file"},
         {"diagnose '" + own + "' --format yaml", "--format"},
         {"diagnose '" + trace_of(folder, 0) + "'", "is one rank's trace"},
         {"diagnose '" + file_with(folder, "bad.csv", "step,rank,own_s\n0,0,1\n0,1,x\n") + "'",
          "bad.csv:3: column \"own_s\""}});
  CHECK(text_of(own) == before);
}
