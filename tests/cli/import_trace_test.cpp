// `mlsim import trace`: what profilers recorded, shown and as a run file.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "catch.hpp"
#include "replay/toy_trace.hpp"
#include "run_mlsim.hpp"
#include "schemas/json_schema.hpp"

using namespace mlsim::test;

namespace {

std::string recorded(const ScratchFolder& folder, int rank) {
  ToyTrace trace(rank, 2);
  trace.step(7, 0, 100).kernel("gemm", 10, 60);
  trace.around("user_annotation", "nccl:all_reduce", 60, 6, R"("Input Dims": [[1000000]], "Input type": ["float"])");
  trace.kernel("ncclKernel_AllReduce", 70 + 5 * rank, 25 - 5 * rank, 8, 20);
  return trace.in(folder, "rank" + std::to_string(rank) + ".json");
}

}  // namespace

TEST_CASE("two ranks' traces are shown and become a run file with each step and the typical one's spans") {
  const ScratchFolder folder;
  const std::string first = recorded(folder, 0), second = recorded(folder, 1), output = folder.path("run.json");
  const ProgramRun run = run_mlsim("import trace '" + first + "' '" + second + "' --output '" + output + "'");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("2 ranks of 2 on Toy GPU, 1 step each"));
  CHECK_THAT(run.out, ContainsSubstring("all-reduce"));
  CHECK(schema_errors("replay/trace/recorded_run.schema.json", text_of(output)).value_or("") == "");
  const auto json = nlohmann::json::parse(text_of(output));
  REQUIRE(json["ranks"].size() == 2);
  const auto& step = json["ranks"][1]["steps"][0];
  CHECK(step["number"] == 7);
  CHECK(step["time_s"].get<double>() == Approx(100e-6).margin(1e-6));
  CHECK(step["compute_s"].get<double>() == Approx(60e-6).margin(1e-6));
  CHECK(json["ranks"][0]["timeline"]["spans"].size() == 2);
  CHECK(json["collectives"][0]["time_s"].get<double>() == Approx(20e-6).margin(1e-6));
  CHECK(json["collectives"][0]["payload_bytes"] == 4e6);
}

TEST_CASE("a trace is never overwritten, and an import of traces says what it does not take") {
  const ScratchFolder folder;
  const std::string first = recorded(folder, 0), before = text_of(first);
  check({{"import trace", "FILE: is needed behind trace"},
         {"import trace '" + first + "' --output '" + first + "'", "is read by FILE; name another file"},
         {"import trace '" + first + "' --accelerator v100", "--accelerator: is of no use to traces"},
         {"import trace '" + first + "' missing.json", "missing.json: cannot be read: No such file"}});
  CHECK(text_of(first) == before);
}
