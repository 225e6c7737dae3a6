// JSON that commands write is held against the committed schemas.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "schemas/json_schema.hpp"

using namespace mlsim::test;

namespace {

const std::string kSourceTree = MLSIM_SOURCE_DIR "/", kStepTraces = kSourceTree + "validation/published/traces/";

struct SchemaCase {
  std::string arguments, schema;
};

std::string complaints(const std::string& schema, const std::string& json) {
  return schema_errors(schema, json).value_or("");
}

void check_schema(const SchemaCase& asked) {
  INFO(asked.arguments);
  const ProgramRun run = run_mlsim(asked.arguments + " --format json");
  INFO(run.err);
  REQUIRE(run.code < 2);
  CHECK(complaints(asked.schema, run.out) == "");
}

}  // namespace

TEST_CASE("answers follow their schemas") {
  const std::string plan =
      "plan --workload bert-large --topology p4d,p3dn --price-date 2020-12 --most-accelerators 16 ";
  for (const SchemaCase& asked :
       {SchemaCase{"predict --topology dgx-a100 --workload resnet50", "core/result/prediction.schema.json"},
        {"predict --topology dgx-a100 --workload resnet50 --batch-per-accelerator 100000 --as-is",
         "core/result/refusal.schema.json"},
        {"explain --topology dgx-a100:nodes=2 --workload resnet50", "core/result/explanation.schema.json"},
        {"compare dgx-a100 gce-k80 --workload resnet50 --batch-per-accelerator 256",
         "studies/compare/comparison.schema.json"},
        {plan + "--deadline 2h --budget 500USD", "studies/plan/plan.schema.json"},
        {plan + "--deadline 1min", "studies/plan/plan.schema.json"},
        {"diagnose '" + kSourceTree + "replay/recorded/llm_64_accelerators.csv'",
         "replay/diagnosis/diagnosis.schema.json"}})
    check_schema(asked);
}

TEST_CASE("validations follow their schemas") {
  const ScratchFolder folder;
  const std::string header =
      "id,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,relative_uncertainty,"
      "role,citation\n";
  const std::string rows =
      "a-run,A source,dgx-a100,1,resnet50,fp32,64,optimizer=sgd,throughput,300,images/s,0.05,anchor,\"a paper\"\n"
      "b-run,A source,dgx-a100,8,resnet50,fp32,512,optimizer=sgd,throughput,2000,images/s,0.05,check,\"a paper\"\n";
  const std::string table = folder.file("cases.csv", header + rows);
  for (const SchemaCase& asked :
       {SchemaCase{"validate published --cases '" + table + "'", "validation/scores/validation.schema.json"},
        {"validate questions --cases '" + table + "'", "validation/questions/questions.schema.json"},
        {"validate convergence", "validation/scores/convergence_errors.schema.json"},
        {"validate transfer", "validation/scores/transfer_errors.schema.json"},
        {"validate trace '" + kStepTraces + "resnet50_1xv100.csv'", "replay/validation/trace_validation.schema.json"},
        {"validate trace '" + kStepTraces + "recommender_8xa100.csv' --topology dgx-a100 --set slow_rank=0:0.5",
         "replay/validation/trace_validation.schema.json"}})
    check_schema(asked);
}

TEST_CASE("lists are arrays of what their schemas say, and one thing is one of these") {
  for (const SchemaCase& asked : {SchemaCase{"workloads", "workload"},
                                  {"recipes", "recipe"},
                                  {"topologies", "system"},
                                  {"accelerators", "accelerator"},
                                  {"prices", "price"},
                                  {"collectives", "collective"}}) {
    INFO(asked.arguments);
    const auto list = nlohmann::json::parse(run_mlsim("list " + asked.arguments + " --format json").out);
    REQUIRE(!list.empty());
    for (const auto& item : {list.front(), list.back()})
      CHECK(complaints("reports/pages/" + asked.schema + ".schema.json", item.dump()) == "");
  }
  check_schema({"list resnet50", "reports/pages/workload.schema.json"});
  check_schema({"list dgx-a100:nodes=2", "reports/pages/system.schema.json"});
  check_schema({"list tpu-v3", "reports/pages/accelerator.schema.json"});
}

TEST_CASE("rows of a sweep follow their schema") {
  const ScratchFolder folder;
  const std::string rows = folder.path("rows.jsonl");
  REQUIRE(run_mlsim("sweep --topology dgx-a100 --workload resnet50 --batch-per-accelerator 16,1000000 --as-is --quiet "
                    "--output '" +
                    rows + "'")
              .code == 0);
  std::istringstream lines(text_of(rows));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    CHECK(complaints("reports/studies/sweep_row.schema.json", line) == "");
  CHECK(count == 2);
}
