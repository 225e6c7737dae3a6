// The committed schema of every result that is written as JSON.
#include "catch.hpp"
#include "core/result/explanation.hpp"
#include "core/result/prediction.hpp"
#include "core/result/refusal_json.hpp"
#include "core/text/json_schema.hpp"
#include "interop/chakra/chakra_replay.hpp"
#include "replay/diagnosis/cause.hpp"
#include "replay/trace/recorded_run.hpp"
#include "replay/validation/replay_error.hpp"
#include "replay/validation/trace_validation.hpp"
#include "reports/pages/lists_json.hpp"
#include "reports/studies/sweep_rows.hpp"
#include "schemas/json_schema.hpp"
#include "studies/compare/comparison.hpp"
#include "studies/plan/plan.hpp"
#include "studies/sources/source_score.hpp"
#include "validation/questions/questions.hpp"
#include "validation/scores/convergence_errors.hpp"
#include "validation/scores/transfer.hpp"
#include "validation/scores/validate.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct CommittedSchema {
  const char* file;
  std::string (*generated)();
};

const CommittedSchema kSchemas[] = {
    {"core/result/explanation.schema.json", json_schema<Explanation>},
    {"core/result/prediction.schema.json", json_schema<Prediction>},
    {"core/result/refusal.schema.json", json_schema<Refusal>},
    {"interop/chakra/chakra_replay.schema.json", json_schema<interop::ChakraReplay>},
    {"replay/diagnosis/diagnosis.schema.json", json_schema<replay::Diagnosis>},
    {"replay/trace/recorded_run.schema.json", json_schema<replay::RecordedRun>},
    {"reports/pages/accelerator.schema.json", json_schema<reports::ListedAccelerator>},
    {"reports/pages/collective.schema.json", json_schema<reports::CollectiveRow>},
    {"reports/pages/price.schema.json", json_schema<reports::ListedPrice>},
    {"reports/pages/recipe.schema.json", json_schema<reports::ListedRecipe>},
    {"reports/pages/system.schema.json", json_schema<reports::ListedSystem>},
    {"reports/pages/workload.schema.json", json_schema<reports::ListedWorkload>},
    {"reports/studies/sweep_row.schema.json", json_schema<reports::NamedRow>},
    {"studies/compare/comparison.schema.json", json_schema<studies::Comparison>},
    {"studies/plan/plan.schema.json", json_schema<studies::CapacityPlan>},
    {"studies/sources/sources.schema.json", json_schema<std::vector<studies::ItemScore>>},
    {"validation/questions/questions.schema.json", json_schema<std::vector<validation::QuestionScore>>},
    {"replay/validation/replay_error.schema.json", json_schema<replay::JudgedReplay>},
    {"validation/scores/convergence_errors.schema.json", json_schema<validation::ConvergenceErrors>},
    {"validation/scores/transfer_errors.schema.json", json_schema<validation::TransferErrors>},
    {"validation/scores/validation.schema.json", json_schema<validation::ValidationReport>},
    {"replay/validation/trace_validation.schema.json", json_schema<replay::TraceValidation>},
};

}  // namespace

TEST_CASE("every schema is what its describe() writes, with explanations") {
  for (const CommittedSchema& schema : kSchemas) {
    INFO(schema.file);
    CHECK(schema_difference(schema.file, schema.generated()) == "[]");
  }
}

TEST_CASE("an item of the sources follows its schema") {
  studies::SourceFigure figure;
  figure.item = "pod-cost";
  figure.asks = {"predict --topology tpu-v2-512"};
  figure.published = 50.56;
  const std::string json = to_json({{"pod-cost", "tpu-v2-pods", "the pod costs", {}, {{figure, 48.5, ""}}}});
  CHECK_THAT(json, Catch::Matchers::ContainsSubstring("\"verdict\": \"works\""));
  CHECK(schema_errors("studies/sources/sources.schema.json", json).value_or("") == "");
}

TEST_CASE("a run against its prediction follows its schema") {
  replay::ReplayError error;
  error.predicted = Seconds(2);
  error.measured = Seconds(1);
  error.nodes = {{{}, Seconds(1)}};
  const std::string json = to_json(replay::JudgedReplay{"two ranks", "2026-11-23T07:00:00Z", error, 0.25});
  CHECK_THAT(json, Catch::Matchers::ContainsSubstring("\"relative_error\": 1.0"));
  CHECK(schema_errors("replay/validation/replay_error.schema.json", json).value_or("") == "");
}
