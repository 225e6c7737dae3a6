#include "tests/sim/laws/random_plan.hpp"

#include <fmt/format.h>

#include <random>

#include "calibrate/builtin_profiles.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

namespace mlsim::test {
namespace {

struct System {
  const char* machine;
  int per_node;  // 0: a grid
};

// Boxes with NVLink, NVSwitch and PCIe alone, clouds, and pods.
const std::vector<System> kSystems = {{"dgx1-v100", 8},     {"dgx2", 16},         {"dgx-a100", 8},
                                      {"dgx-a100-80gb", 8}, {"dgx-h100", 8},      {"p3dn", 8},
                                      {"p4de", 8},          {"a3-megagpu-8g", 8}, {"hgx-v100-4", 4},
                                      {"pcie-server", 8},   {"gke-t4", 1},        {"azure-nd96amsr-a100-v4", 8},
                                      {"dgx1-p100", 8},     {"torus4x4", 0},      {"torus8x8", 0},
                                      {"torus16x16", 0},    {"torus32x32", 0}};

const std::vector<const char*> kWorkloads = {
    "resnet50",   "resnet50-v1", "vgg16",          "inception3",      "ssd-resnet34",  "mask-rcnn",
    "bert-large", "bert-base",   "gpt2",           "transformer-big", "gnmt",          "ncf",
    "dlrm",       "unet3d",      "resnet20-cifar", "efficientnet-b0", "bert-large-128"};

const std::vector<std::pair<const char*, const char*>> kSettings = {{"overlap", "on"},
                                                                    {"overlap", "off"},
                                                                    {"exchange", "horovod"},
                                                                    {"optimizer", "adam"},
                                                                    {"optimizer", "lars"},
                                                                    {"optimizer", "sgd"},
                                                                    {"multi_tensor", "off"},
                                                                    {"fusion", "off"},
                                                                    {"sharded_update", "on"},
                                                                    {"recompute", "full"},
                                                                    {"bucket", "4 MiB"},
                                                                    {"choice", "nccl"},
                                                                    {"gradient_precision", "fp32"},
                                                                    {"accumulation", "2"},
                                                                    {"data", "real"},
                                                                    {"slow_rank", "0:0.7"},
                                                                    {"slow_host", "0:0.8"},
                                                                    {"speed_spread", "0.03"},
                                                                    {"jitter", "exponential:0.05"},
                                                                    {"input_skew", "normal:1 ms"},
                                                                    {"variable_update", "parameter_server"},
                                                                    {"variable_update", "distributed_replicated"},
                                                                    {"attention", "flash"},
                                                                    {"overlap_slowdown", "0.1"}};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}
  // Below `bound`; the standard library's distributions differ between machines.
  int below(int bound) { return static_cast<int>(bits_() % static_cast<std::uint64_t>(bound)); }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(static_cast<int>(all.size()))];
  }

 private:
  std::mt19937_64 bits_;
};

bool splits(const std::string& workload) {
  return workload.starts_with("bert") || workload.starts_with("gpt") || workload.starts_with("transformer");
}

std::string drawn_split(Draw& draw, int ranks) {
  const int shared = ranks % 4 == 0 && draw.below(2) == 0 ? 4 : 2;
  if (draw.below(2) == 0) return fmt::format("data={},tensor={}", ranks / shared, shared);
  return fmt::format("data={},pipeline={},micro_batches={}", ranks / shared, shared, 2 * shared);
}

RandomPlan drawn(Draw& draw) {
  RandomPlan plan;
  const System system = draw.of(kSystems);
  plan.machine = system.machine;
  const int nodes = 1 << draw.below(system.per_node == 1 ? 6 : 5);
  if (system.per_node > 0) plan.hardware["nodes"] = std::to_string(nodes);
  plan.workload = draw.of(kWorkloads);
  plan.precision = draw.of(std::vector<std::string>{"", "fp32", "fp16", "bf16"});
  plan.batch = 1 << draw.below(8);
  const int ranks = system.per_node * nodes;
  if (ranks % 2 == 0 && ranks > 0 && splits(plan.workload) && draw.below(4) == 0)
    plan.parallelism = drawn_split(draw, ranks);
  for (int wanted = draw.below(4); wanted > 0; --wanted) {
    const auto& [key, value] = draw.of(kSettings);
    plan.settings[key] = value;
  }
  return plan;
}

}  // namespace

std::string RandomPlan::topology() const {
  std::string text = machine;
  for (const auto& [option, value] : hardware)
    text += fmt::format("{}{}={}", text == machine ? ":" : ",", option, value);
  return text;
}

std::string RandomPlan::command() const {
  std::string text =
      fmt::format("mlsim predict --as-is --topology {} --workload {} --batch-per-accelerator {:g} --fidelity {}",
                  topology(), workload, batch, name(fidelity));
  if (!precision.empty()) text += " --precision " + precision;
  if (!parallelism.empty()) text += " --parallelism " + parallelism;
  for (const auto& [key, value] : settings) text += fmt::format(" --set \"{}={}\"", key, value);
  return text;
}

PredictRequest RandomPlan::request() const {
  PredictRequest request;
  request.topology = topology();
  request.workload = workload;
  request.batch_per_accelerator = batch;
  request.parallelism = parallelism;
  if (!precision.empty()) request.precision = parse<Precision>(precision);
  request.fidelity = fidelity;
  request.as_is = true;  // a law compares two plans that differ in one thing alone
  request.options = options_of(settings);
  request.builtin_profiles = builtin_profiles();
  if (anchored) request.anchors = published_anchors();
  return request;
}

RandomPlan RandomPlan::with(const std::string& setting, const std::string& value) const {
  RandomPlan other = *this;
  other.settings[setting] = value;
  return other;
}

RandomPlan RandomPlan::on(const std::string& option, const std::string& value) const {
  RandomPlan other = *this;
  other.hardware[option] = value;
  return other;
}

std::optional<Prediction> answer_of(const RandomPlan& plan) {
  try {
    const PredictRequest request = plan.request();
    check_combinations(request.options);
    return predict(request);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

FlowAnswers flow_answers_of(RandomPlan plan) {
  FlowAnswers answers;
  plan.fidelity = Fidelity::folded;
  answers.folded = answer_of(plan);
  plan.fidelity = Fidelity::fluid;
  answers.fluid = answer_of(plan);
  return answers;
}

std::vector<AnsweredPlan> random_plans(std::uint64_t seed, int all,
                                       const std::function<bool(const RandomPlan&)>& suits) {
  const int count = drawn_of(all);
  Draw draw(seed);
  std::vector<AnsweredPlan> plans;
  for (int tries = 0; tries < 200 * count && static_cast<int>(plans.size()) < count; ++tries) {
    RandomPlan plan = drawn(draw);
    if (suits && !suits(plan)) continue;
    if (auto answer = answer_of(plan)) plans.push_back({std::move(plan), std::move(*answer)});
  }
  return plans;
}

}  // namespace mlsim::test
