// A setting that is taken changes the answer: for every option of the table, on networks of several sorts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/option.hpp"
#include "studies/known_figures.hpp"
#include "studies/question.hpp"

using namespace mlsim;
using namespace mlsim::test;
using namespace mlsim::studies;

namespace {

// A `Trial` has values of an option, and settings beside it that it needs.
struct Trial {
  std::vector<std::string> values;
  std::vector<std::string> beside = {};
  std::string of = {};  // of this workload alone, where it depends on what no option says
};

const std::map<std::string, Trial> kTrials{
    {"stack", {{"tf-2017", "megatron"}}},
    {"year", {{"2012", "2024"}}},
    {"optimizer", {{"sgd", "adam", "lars"}}},
    {"multi_tensor", {{"on", "off"}}},
    {"fusion", {{"on", "off"}}},
    {"xla", {{"stage1", "encoder"}}},
    {"launch", {{"eager", "compiled", "graphs"}}},
    {"loss_scaling", {{"on", "off"}}},
    {"gradient_clipping", {{"1"}}},
    {"attention", {{"flash", "fused"}}},
    {"recompute", {{"full", "off"}}},
    {"accumulation", {{"1", "2"}}},
    {"sharding", {{"none", "optimizer", "gradients", "parameters"}}},
    {"sharding_ranks", {{"all", "2"}, {}, "olmoe-1b-7b"}},
    {"reshard", {{"on", "off"}, {"sharding=parameters"}}},
    {"offload", {{"0.5", "optimizer"}}},
    {"overlap", {{"on", "off"}}},
    {"overlap_slowdown", {{"1.1", "2"}}},
    {"bucket", {{"1 MiB", "200 MiB"}}},
    {"first_bucket", {{"1 KiB", "4 GiB"}}},
    {"exchange", {{"buckets", "horovod"}}},
    {"horovod_cycle", {{"1 ms", "50 ms"}, {"exchange=horovod"}}},
    {"fusion_buffer", {{"1 MiB", "100 MiB"}, {"exchange=horovod"}}},
    {"horovod_cache", {{"on", "off"}, {"exchange=horovod"}}},
    {"pipelined_summation", {{"on", "off"}}},
    {"choice", {{"quickest", "nccl"}}},
    {"protocol", {{"ll", "simple"}, {"choice=nccl"}}},
    {"gradient_precision", {{"fp32", "bf16"}}},
    {"weight_precision", {{"fp32", "bf16"}, {"sharding=optimizer"}}},
    {"communicator", {{"nccl", "gloo", "mpi"}}},
    {"algorithm", {{"ring", "tree"}}},
    {"engine", {{"simgrid", "max-min"}}},
    {"sequence_parallel", {{"on", "off"}}},
    {"pipeline_schedule", {{"gpipe", "1f1b"}}},
    {"pipeline_chunks", {{"1", "2"}}},
    {"stages", {{"even", "balanced"}}},
    {"first_stage_layers", {{"1", "3"}}},
    {"last_stage_layers", {{"1", "3"}}},
    {"batch_norm_group", {{"2", "4"}}},
    {"mesh", {{"spatial:x,data:x,data:y", "spatial:y,data:y,data:x"}}},
    {"capacity", {{"1.25", "2"}}},
    {"expert_overlap", {{"on", "off"}}},
    {"dispatch", {{"alltoall", "by-node"}, {}, "deepseek-moe-16b"}},
    {"tensor_overlap", {{"on", "off"}}},
    {"pipeline_overlap", {{"on", "off"}}},
    {"gather_overlap", {{"on", "off"}}},
    {"context_exchange", {{"ring", "allgather", "alltoall"}}},
    {"table_placement", {{"table", "column", "row"}}},
    {"data", {{"synthetic", "real"}}},
    {"decode", {{"host", "accelerator"}, {"data=real"}}},
    {"storage_bandwidth", {{"10 MiB/s", "10 GB/s"}, {"data=real", "page_cache=off"}}},
    {"page_cache", {{"on", "off"}, {"data=real", "storage_bandwidth=10 KiB/s"}, "resnet50"}},
    {"variable_update", {{"replicated", "parameter_server", "distributed_replicated"}}},
    {"local_parameter_device", {{"cpu", "gpu"}, {"variable_update=parameter_server"}}},
    {"servers", {{"colocated", "2"}, {"variable_update=distributed_replicated"}}},
    {"server_placement", {{"round_robin", "greedy"}, {"variable_update=distributed_replicated"}}},
    {"recipe", {{"v0.7-lars-mxnet", "v0.7-lamb"}}},
    {"epochs", {{"1", "2"}}},
    {"target", {{"74.9", "75.9"}}},
    {"target_loss", {{"0.2828"}, {}, "logreg-epsilon"}},
    {"learning_rate", {{"4"}, {}, "logreg-epsilon"}},
    {"tokens", {{"1G", "2G"}}},
    {"overrun", {{"0", "0.5"}, {"tokens=1G"}}},
    {"samples", {{"1000000", "2000000"}}},
    {"steps", {{"1000", "2000"}, {}, "vit-b16"}},
    {"throughput", {{"100", "200"}}},
    {"evaluation", {{"on", "off"}}},
    {"clock", {{"mlperf", "wall"}}},
    {"failures", {{"on", "off"}, {"epochs=90"}}},
    {"time_between_failures", {{"500 h", "5000 h"}, {"failures=on", "epochs=90"}}},
    {"spares", {{"0", "8"}, {"failures=on", "epochs=90"}}},
    {"repair_time", {{"1 h", "50 h"}, {"failures=on", "epochs=90", "spares=0"}}},
    {"restart_time", {{"1 min", "60 min"}, {"failures=on", "epochs=90"}}},
    {"preemption_rate", {{"0.01", "0.5"}, {"price=preemptible", "epochs=90"}}},
    {"checkpoint", {{"on", "off"}, {"epochs=90", "failures=on"}}},
    {"checkpoint_interval", {{"1 min", "60 min"}, {"epochs=90"}}},
    {"checkpoint_bandwidth", {{"1 MB/s", "100 MB/s"}, {"epochs=90", "checkpoint_interval=10 s"}}},
    {"price", {{"on-demand", "preemptible"}, {"epochs=90"}}},
    {"own_price", {{"dgx1-v100=3USD/h", "dgx1-v100=30USD/h"}, {"epochs=90"}, "bert-large"}},
    {"price_region", {{"us-central1", "europe-west4"}, {"epochs=90"}}},
    {"price_date", {{"2020-01", "2025-01"}, {"epochs=90"}}},
    {"billing", {{"second", "hour"}, {"epochs=90"}}},
    {"teardown", {{"1 min", "60 min"}, {"epochs=90"}}},
    {"pue", {{"1.1", "1.5"}, {"epochs=90"}}},
    {"carbon_intensity", {{"0.1", "0.5"}, {"epochs=90"}}},
    {"load", {{"0.5", "1"}, {"epochs=90"}}},
    {"slow_link", {{"gpu0-gpu1:0.5", "gpu0-gpu1:0.1"}}},
    {"failed_link", {{"gpu0-gpu1", "gpu0-gpu2"}}},
    {"slow_rank", {{"0:0.5", "0:0.9"}}},
    {"slow_host", {{"0:0.5", "0:0.9"}}},
    {"speed_spread", {{"0.01", "0.1"}}},
    {"jitter", {{"normal:0.1", "normal:0.3"}}},
    {"input_skew", {{"normal:5 ms", "normal:50 ms"}}},
    {"straggler_steps", {{"100", "1000"}, {"jitter=normal:0.1"}}},
};

// All of an answer but the question, which echoes every setting, and the words about its trust; empty where it is
// refused.
std::optional<std::string> answer_json(QuestionText question, const std::vector<std::string>& settings) {
  question.settings = settings;
  try {
    PredictRequest request = request_of(question, known());
    request.one_of_many = true;
    Prediction prediction = sim::predict(request);
    prediction.inputs = {};
    prediction.trust = {};
    prediction.simulation.wall_s.reset();
    return to_json(prediction);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

// Many options are tried beside the same settings, most of them beside none.
const std::optional<std::string>& usual_answer(const QuestionText& question, const std::vector<std::string>& beside) {
  static std::map<std::string, std::optional<std::string>> known_answers;
  const std::string key =
      fmt::format("{} {} {} {}", question.topology, question.workload, question.parallelism, fmt::join(beside, " "));
  const auto found = known_answers.find(key);
  if (found != known_answers.end()) return found->second;
  return known_answers.emplace(key, answer_json(question, beside)).first->second;
}

// Says whether a value moved the answer. A default that is said is no fault, so that one may leave it as it was, but not
// two.
bool check_option(const QuestionText& question, const std::string& key, const Trial& trial) {
  if (!trial.of.empty() && trial.of != question.workload) return false;
  const std::optional<std::string>& usual = usual_answer(question, trial.beside);
  if (!usual) return false;
  std::vector<std::string> idle;
  bool acts = false;
  for (const std::string& value : trial.values) {
    std::vector<std::string> settings = trial.beside;
    settings.push_back(fmt::format("{}={}", key, value));
    const std::optional<std::string> changed = answer_json(question, settings);
    if (!changed) continue;
    *changed == *usual ? idle.push_back(value) : void(acts = true);
  }
  INFO(fmt::format("{} of {} on {}, {}: idle with {}", key, question.workload, question.topology, question.parallelism,
                   fmt::join(idle, " and ")));
  CHECK((acts || idle.size() < 2));
  return acts;
}

QuestionText question(const char* topology, const char* workload, const char* parallelism = "") {
  QuestionText text;
  text.topology = topology;
  text.workload = workload;
  text.parallelism = parallelism;
  return text;
}

}  // namespace

TEST_CASE("every option is tried") {
  CHECK(kTrials.size() == sim::option_table().size());
  for (const sim::Option& option : sim::option_table()) {
    INFO(option.key);
    CHECK(kTrials.count(option.key) == 1);
  }
}

TEST_CASE("an option whose values all leave an answer as it was is refused, and none is refused everywhere") {
  const std::vector<QuestionText> questions{question("dgx1-v100", "resnet50"),
                                            question("dgx1-v100:per_node=1", "resnet50"),
                                            question("torus4x4", "resnet50", "spatial=2"),
                                            question("dgx1-v100", "bert-large"),
                                            question("dgx1-p100:nodes=2", "vgg16"),
                                            question("dgx-a100", "dlrm", "embedding=8"),
                                            question("dgx-h100", "gpt-1.3b", "tensor=2,pipeline=2,micro_batches=4"),
                                            question("dgx-h100", "gpt-1.3b", "context=2"),
                                            question("dgx-h100", "olmoe-1b-7b", "expert=2")};
  const QuestionText loss = question("gke-cpu:nodes=2", "logreg-epsilon");  // its one tensor has no buckets
  QuestionText batched = question("dgx-a100", "vit-b16");
  batched.global_batch = "1024";
  const QuestionText on_nodes = question("dgx-h100:nodes=2", "deepseek-moe-16b", "expert=16");
  for (const auto& [key, trial] : kTrials) {
    int moved = 0;
    const bool of_loss = trial.of == loss.workload;
    std::vector<QuestionText> asks = questions;
    for (const QuestionText& alone : {loss, batched, on_nodes})
      if (trial.of == alone.workload) asks = {alone};
    for (const QuestionText& asked : asks) moved += check_option(asked, key, trial);
    INFO(key);
    CHECK((moved > 0 || of_loss));  // its rate and its loss are those of the runs on record, and no others are taken
  }
}
