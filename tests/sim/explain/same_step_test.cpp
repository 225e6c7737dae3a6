// One step for both: what explain takes apart is the step that predict gives, or it says what it cannot explain.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/example_requests.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/option.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Whether explain answers; if so, with predict's step, else it names one of the settings or the seed.
bool explains(const PredictRequest& request) {
  Explanation explanation;
  try {
    explanation = explain(request);
  } catch (const InputError& refusal) {
    const std::string said = refusal.what();
    bool named = request.seed && said.find("--seed") != std::string::npos;
    for (const auto& [key, value] : settings_of(request.options)) named = named || said.find(key) != std::string::npos;
    INFO(said);
    CHECK(named);
    return false;
  }
  CHECK(explanation.step_time.value == Approx(predict(request).step.time.value).epsilon(1e-9));
  return true;
}

const SharedList<Profile>& profiles() {
  static const SharedList<Profile> all = builtin_profiles();
  return all;
}

PredictRequest step_question(const std::string& topology, const std::string& workload, double batch = 8) {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.batch_per_accelerator = batch;
  request.builtin_profiles = profiles();
  return request;
}

PredictRequest split(const std::string& topology, const std::string& workload, const std::string& parallelism,
                     double global_batch) {
  PredictRequest request = step_question(topology, workload);
  request.batch_per_accelerator.reset();
  request.parallelism = parallelism;
  request.global_batch = global_batch;
  return request;
}

// A value for a key, with what it counts beside.
struct Probe {
  PredictRequest request;
  Settings settings;
};

std::map<std::string, Probe> probes() {
  const PredictRequest box = step_question("dgx1-v100", "resnet50"),
                       cluster = step_question("dgx1-v100:nodes=2", "resnet50"),
                       pod = step_question("torus4x4", "resnet50"),
                       names = step_question("dgx1-p100:nodes=2", "resnet50");
  const PredictRequest stages = split("dgx1-v100", "gpt2", "data=2,pipeline=4,micro_batches=8", 16),
                       experts = split("torus32x32", "gshard-moe", "expert=1024", 16384),
                       mixture = split("dgx-h100:nodes=2", "olmoe-1b-7b", "expert=16", 16),
                       tables = split("dgx-a100", "dlrm", "embedding=8", 4096),
                       tokens = split("dgx-a100", "gpt2", "context=4", 8),
                       matrices = split("dgx1-v100", "gpt2", "data=2,tensor=4", 8);
  const auto server = [&](Settings settings) {
    settings.insert({"variable_update", "parameter_server"});
    return Probe{names, settings};
  };
  const auto horovod = [&](Settings settings) {
    settings.insert({"exchange", "horovod"});
    return Probe{cluster, settings};
  };
  const auto real = [&](Settings settings) {
    settings.insert({"data", "real"});
    return Probe{box, settings};
  };
  return {{"stack", {names, {{"stack", "tf-2017"}}}},
          {"optimizer", {box, {{"optimizer", "adam"}}}},
          {"multi_tensor", {box, {{"multi_tensor", "off"}}}},
          {"fusion", {box, {{"fusion", "off"}}}},
          {"variable_update", {names, {{"variable_update", "distributed_replicated"}}}},
          {"local_parameter_device", server({{"local_parameter_device", "cpu"}})},
          {"servers", server({{"servers", "2"}})},
          {"server_placement", server({{"server_placement", "greedy"}})},
          {"xla", {step_question("dgx1-v100", "bert-large"), {{"xla", "encoder"}}}},
          {"loss_scaling", {box, {{"loss_scaling", "off"}}}},
          {"gradient_clipping", {box, {{"gradient_clipping", "5"}}}},
          {"pipelined_summation", {cluster, {{"pipelined_summation", "off"}}}},
          {"attention", {step_question("dgx1-v100", "bert-large"), {{"attention", "flash"}}}},
          {"launch", {step_question("dgx-a100-80gb", "gpt2"), {{"launch", "graphs"}}}},
          {"year", {names, {{"year", "2018"}}}},
          {"recompute", {step_question("dgx1-v100", "bert-large"), {{"recompute", "full"}}}},
          {"accumulation", {box, {{"accumulation", "2"}}}},
          {"sharding", {pod, {{"sharding", "optimizer"}}}},
          {"sharding_ranks", {pod, {{"sharding", "parameters"}, {"sharding_ranks", "4"}}}},
          {"reshard", {pod, {{"sharding", "parameters"}, {"reshard", "off"}}}},
          {"offload", {step_question("pcie-server", "bert-large"), {{"offload", "optimizer"}}}},
          {"weight_precision", {pod, {{"sharded_update", "on"}, {"weight_precision", "bf16"}}}},
          {"overlap", {cluster, {{"overlap", "off"}}}},
          {"bucket", {cluster, {{"bucket", "1 MiB"}}}},
          {"first_bucket", {cluster, {{"bucket", "25 MiB"}, {"first_bucket", "1 MiB"}}}},
          {"exchange", horovod({})},
          {"horovod_cycle", horovod({{"horovod_cycle", "50 ms"}})},
          {"fusion_buffer", horovod({{"fusion_buffer", "1 MiB"}})},
          {"horovod_cache", horovod({{"horovod_cache", "off"}})},
          {"choice", {cluster, {{"choice", "nccl"}}}},
          {"protocol", {cluster, {{"protocol", "ll"}}}},
          {"gradient_precision", {cluster, {{"gradient_precision", "fp16"}}}},
          {"communicator", {step_question("gke-t4:nodes=2", "resnet50"), {{"communicator", "gloo"}}}},
          {"algorithm", {cluster, {{"algorithm", "ring"}}}},
          {"overlap_slowdown", {cluster, {{"overlap_slowdown", "0.2"}}}},
          {"engine", {cluster, {{"engine", "max-min"}}}},
          {"mesh", {split("torus4x4", "resnet50", "data=8,spatial=2", 64), {{"mesh", "spatial:x,data:x,data:y"}}}},
          {"batch_norm_group", {pod, {{"batch_norm_group", "4"}}}},
          {"sequence_parallel", {matrices, {{"sequence_parallel", "on"}}}},
          {"pipeline_schedule", {stages, {{"pipeline_schedule", "gpipe"}}}},
          {"pipeline_chunks", {stages, {{"pipeline_schedule", "interleaved"}, {"pipeline_chunks", "3"}}}},
          {"stages", {stages, {{"stages", "balanced"}}}},
          {"first_stage_layers", {stages, {{"first_stage_layers", "3"}, {"last_stage_layers", "3"}}}},
          {"last_stage_layers", {stages, {{"last_stage_layers", "3"}}}},
          {"expert_overlap", {experts, {{"expert_overlap", "on"}}}},
          {"dispatch", {mixture, {{"dispatch", "alltoall"}}}},
          {"tensor_overlap", {matrices, {{"tensor_overlap", "on"}}}},
          {"pipeline_overlap", {stages, {{"pipeline_overlap", "off"}}}},
          {"gather_overlap", {stages, {{"gather_overlap", "on"}}}},
          {"context_exchange", {tokens, {{"context_exchange", "alltoall"}}}},
          {"capacity", {experts, {{"capacity", "2"}}}},
          {"table_placement", {tables, {{"table_placement", "row"}}}},
          {"data", real({})},
          {"decode", real({{"decode", "accelerator"}})},
          {"storage_bandwidth", real({{"storage_bandwidth", "10 MB/s"}, {"page_cache", "off"}})},
          {"page_cache", real({{"page_cache", "off"}})},
          {"recipe", {box, {{"recipe", "v0.7-lars-tf"}}}},
          {"target", {box, {{"target", "75.9"}}}},
          {"target_loss", {step_question("gke-cpu", "logreg-epsilon"), {{"target_loss", "0.2828"}}}},
          {"learning_rate", {step_question("gke-cpu", "logreg-epsilon"), {{"learning_rate", "4"}}}},
          {"slow_link", {pod, {{"slow_link", "x0y0-x1y0:0.5"}}}},
          {"failed_link", {pod, {{"failed_link", "x0y0-x1y0"}}}},
          {"slow_rank", {pod, {{"slow_rank", "3:0.7"}}}},
          {"slow_host", {cluster, {{"slow_host", "1:0.7"}}}}};
}

// What is about many steps or the job.
const std::map<std::string, std::string>& refused() {
  static const std::map<std::string, std::string> all{{"epochs", "3"},
                                                      {"samples", "1000000"},
                                                      {"steps", "1k"},
                                                      {"tokens", "1G"},
                                                      {"overrun", "0.5"},
                                                      {"pue", "1.5"},
                                                      {"carbon_intensity", "0.1"},
                                                      {"load", "0.8"},
                                                      {"throughput", "1000"},
                                                      {"evaluation", "off"},
                                                      {"clock", "wall"},
                                                      {"failures", "on"},
                                                      {"time_between_failures", "1000 h"},
                                                      {"restart_time", "300 s"},
                                                      {"spares", "4"},
                                                      {"repair_time", "24 h"},
                                                      {"preemption_rate", "0.1"},
                                                      {"checkpoint", "on"},
                                                      {"checkpoint_interval", "300 s"},
                                                      {"price", "preemptible"},
                                                      {"checkpoint_bandwidth", "1 GB/s"},
                                                      {"price_date", "2020-06"},
                                                      {"price_region", "us-central1"},
                                                      {"own_price", "v100=1 USD/h"},
                                                      {"billing", "hour"},
                                                      {"teardown", "60 s"},
                                                      {"speed_spread", "0.01"},
                                                      {"jitter", "normal:0.01"},
                                                      {"straggler_steps", "10"},
                                                      {"input_skew", "normal:1 ms"}};
  return all;
}

bool asks_about_the_job(const PredictRequest& request) {
  for (const auto& [key, value] : settings_of(request.options))
    if (refused().contains(key)) return true;
  return false;
}

}  // namespace

TEST_CASE("explain's step is predict's, for the question of every example", "[slow]") {
  const auto start = std::filesystem::current_path();
  int asked = 0;
  for (ExampleRequest& example : example_requests()) {
    INFO(example.folder);
    PredictRequest& request = example.request;
    request.builtin_profiles = profiles();
    request.anchors = published_anchors();
    std::filesystem::current_path(example.folder);
    ++asked;
    if (std::filesystem::exists(example.folder / "exit_code")) {
      CHECK_THROWS_AS(explain(request), Infeasible);
      CHECK_THROWS_AS(predict(request), Infeasible);
    } else {
      CHECK(explains(request) != asks_about_the_job(request));
    }
  }
  std::filesystem::current_path(start);
  CHECK(asked >= 24);
}

TEST_CASE("explain's step is predict's, whatever setting is given") {
  std::set<std::string> probed;
  for (auto& [key, probe] : probes()) {
    INFO(key);
    probed.insert(key);
    PredictRequest request = probe.request;
    request.fidelity = Fidelity::closed;
    request.options = options_of(probe.settings);
    REQUIRE(probe.settings.contains(key));
    CHECK(explains(request));
  }
  for (const auto& [key, value] : refused()) {
    probed.insert(key);
    PredictRequest request = step_question("dgx1-v100", "resnet50");
    set_option(request.options, key, value);
    CHECK_THROWS_WITH(explain(request), ContainsSubstring("--set " + key));
  }
  for (const Option& known : option_table()) {
    INFO(known.key);
    CHECK(probed.contains(known.key));
  }
}

TEST_CASE("Horovod's cycles lengthen the step that is explained") {
  // Nothing is exchanged before a cycle begins: with one a second, none before the first second.
  PredictRequest request = step_question("dgx1-v100:nodes=2", "resnet50");
  request.options = parse_options("exchange=horovod;horovod_cycle=1 s");
  CHECK(explain(request).step_time > Seconds(1));
  set_option(request.options, "horovod_cycle", "1 ms");
  CHECK(explain(request).step_time < Seconds(1));
}

TEST_CASE("a seed is refused where nothing is drawn") {
  PredictRequest request = step_question("torus4x4", "resnet50");
  request.seed = 0;
  CHECK_THROWS_WITH(explain(request), ContainsSubstring("--seed 0: changes nothing"));
}
