// The rows are every scaling technique at about 4096 ranks, folded, and some of them explained.
#include <fmt/format.h>

#include "bench/row.hpp"
#include "calibrate/builtin_profiles.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

namespace mlsim::bench {
namespace {

struct Question {
  std::string name;
  int ranks;
  std::string topology, workload, parallelism;
  std::string options;  // as --set takes them
};

PredictRequest request_of(const Question& question) {
  PredictRequest request;
  request.topology = question.topology;
  request.workload = question.workload;
  request.parallelism = question.parallelism;
  request.options = parse_options(question.options);
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  return request;
}

std::string predicted(const Question& question) {
  const Prediction prediction = predict(request_of(question));
  return fmt::format("{:.6f} s a step, {} classes, {} flows", prediction.step.time.value, prediction.simulation.classes,
                     prediction.simulation.flows);
}

std::string explained(const Question& question) {
  const Explanation explanation = explain(request_of(question));
  return fmt::format("{:.6f} s a step, {} segments, {} elasticities", explanation.step_time.value,
                     explanation.path.size(), explanation.elasticities.size());
}

const std::string kBoxes = "dgx-a100:nodes=512", kTorus = "torus128x32", kV100 = "p3.16xlarge:nodes=512";
const std::string kGpt = "tensor=8,pipeline=16,data=32";

std::vector<Question> techniques() {
  return {
      {"tensor+1F1B+data", 4096, kBoxes, "gpt3-175b", kGpt, ""},
      {"interleaved+sequence", 4096, kBoxes, "gpt3-175b", kGpt + ",micro_batches=64",
       "recompute=full;pipeline_schedule=interleaved;pipeline_chunks=3;sequence_parallel=on"},
      {"GPipe+tensor", 4096, kBoxes, "gpt3-175b", kGpt + ",micro_batches=32", "recompute=full;pipeline_schedule=gpipe"},
      {"spatial", 4096, kTorus, "ssd-resnet34", "spatial=4", ""},
      {"batch norm groups", 4096, kTorus, "resnet50", "", "batch_norm_group=16"},
      {"expert", 2048, "torus64x32", "gshard-moe", "expert=2048", ""},
      {"expert", 4096, kTorus, "gshard-moe:experts=4096", "expert=4096", ""},
      {"embedding, rows", 4096, kTorus, "dlrm", "embedding=4096", "table_placement=row"},
      {"embedding+data", 4096, kBoxes, "dlrm", "embedding=2048", ""},
      {"servers, colocated", 4096, kV100, "resnet50", "", "variable_update=distributed_replicated"},
      {"servers, apart", 4096, kV100, "vgg16", "", "variable_update=distributed_replicated;servers=64"},
      {"servers, variables", 4096, kV100, "resnet50", "", "variable_update=parameter_server"},
      {"sharded update", 4096, kTorus, "bert-large", "", "sharded_update=on"},
      {"sharded update", 4096, kBoxes, "bert-large", "", "sharded_update=on"},
      {"Horovod", 4096, kV100, "resnet50", "", "exchange=horovod"},
      {"jitter", 4096, kTorus, "resnet50", "", "jitter=normal:0.05;speed_spread=0.02"},
      {"jitter", 4096, kBoxes, "gpt3-175b", kGpt, "jitter=normal:0.05"},
      {"slow rank", 4096, kTorus, "resnet50", "", "slow_rank=5:0.8"},
  };
}

std::vector<Question> to_explain() {
  return {{"explain", 4096, kTorus, "resnet50", "", ""},
          {"explain", 4096, kBoxes, "bert-large", "", ""},
          {"explain", 4096, kBoxes, "gpt3-175b", kGpt, ""},
          {"explain", 2048, "torus64x32", "gshard-moe", "expert=2048", ""}};
}

void add(std::vector<BenchRow>& rows, const Question& question, std::string (*answer)(const Question&)) {
  BenchRow row{
      question.name, question.topology.substr(0, question.topology.find(':')), question.ranks, "folded", {}, {}};
  row.work = [question, answer] { return answer(question); };
  rows.push_back(std::move(row));
}

}  // namespace

std::vector<BenchRow> technique_rows() {
  std::vector<BenchRow> rows;
  for (const Question& question : techniques()) add(rows, question, predicted);
  for (const Question& question : to_explain()) add(rows, question, explained);
  return rows;
}

}  // namespace mlsim::bench
