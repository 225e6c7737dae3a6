// Selective recompute and fused attention, against the counts of Korthikanti et al. (arXiv:2205.05198) and of
// FlashAttention (arXiv:2205.14135): bytes that stay, FLOP that run.
#include "workloads/model/model.hpp"

#include <string>

#include "catch.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kS = 512, kH = 1024, kA = 16;  // of BERT-large

Model bert(int layers, AttentionKernels kernels = AttentionKernels::unfused) {
  Model model = load_model("bert-large:layers=" + std::to_string(layers));
  set_attention(model, kernels);
  return model;
}

double kept_bytes(const Model& model, Recompute recompute) {
  StepPlan plan = plan_of(1, 1);
  plan.precision = Precision::fp16;
  plan.recompute = recompute;
  return kept_per_sample(model, plan).value;
}

double flop_of_part(const Model& model, Recompute recompute, StepPart part) {
  StepPlan plan = plan_of(1, 1);
  plan.recompute = recompute;
  const StepGraph graph = lower(model, plan);
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) sum += graph[v].part == part ? graph[v].work->flop.value : 0;
  return sum;
}

double passes_flop(const Model& model, Recompute recompute) {
  return flop_of_part(model, recompute, StepPart::forward) + flop_of_part(model, recompute, StepPart::backward);
}

}  // namespace

TEST_CASE("with selective recompute a layer keeps s h 34 bytes, and one layer 5 a s s more") {
  const double scores = 5 * kA * kS * kS;
  CHECK(kept_bytes(bert(5), Recompute::selective) - kept_bytes(bert(4), Recompute::selective) == 34 * kS * kH);
  CHECK(kept_bytes(bert(24), Recompute::off) - kept_bytes(bert(24), Recompute::selective) == 23 * scores);
  CHECK(kept_bytes(bert(1), Recompute::off) == kept_bytes(bert(1), Recompute::selective));
}

TEST_CASE("with fused attention a layer keeps s h 34 bytes and a number a query and head") {
  const auto kept = [](int layers) { return kept_bytes(bert(layers, AttentionKernels::flash), Recompute::off); };
  CHECK(kept(5) - kept(4) == 34 * kS * kH + 4 * kA * kS);
  CHECK(kept_bytes(bert(24), Recompute::off) > kept_bytes(bert(24), Recompute::selective));
  CHECK(kept_bytes(bert(24), Recompute::selective) > kept(24));
  CHECK(kept(24) > kept_bytes(bert(24), Recompute::full));
}

TEST_CASE("selective recompute runs 4 s s h FLOP a layer again, 0.9 % of GPT-3's") {
  const double again = flop_of_part(bert(24), Recompute::selective, StepPart::backward) -
                       flop_of_part(bert(24), Recompute::off, StepPart::backward);
  CHECK(again == Approx(24 * 4 * kS * kS * kH));
  CHECK(flop_of_part(bert(24), Recompute::selective, StepPart::forward) ==
        flop_of_part(bert(24), Recompute::off, StepPart::forward));
  // Korthikanti et al., appendix A: 72 L s h h (1 + s / 6 h + V / 12 h L) a sample.
  const Model gpt = load_model("gpt3-175b:vocabulary=51200");
  const double s = 2048, h = 12288, layers = 96, words = 51200;
  const double model_flop = 72 * layers * s * h * h * (1 + s / (6 * h) + words / (12 * h * layers));
  CHECK(passes_flop(gpt, Recompute::off) == Approx(model_flop));
  CHECK(passes_flop(gpt, Recompute::selective) / passes_flop(gpt, Recompute::off) - 1 ==
        Approx(4 * layers * s * s * h / model_flop));
}

TEST_CASE("attention runs again right before its own backward pass, from operands that are there") {
  StepPlan plan = plan_of(1, 1);
  plan.recompute = Recompute::selective;
  const StepGraph graph = lower(bert(24), plan);
  std::vector<std::string> names;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].name.find("block5.attention ") != std::string::npos && graph[v].part == StepPart::backward)
      names.push_back(graph[v].name);
  }
  REQUIRE(names.size() == 3 + 5);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK((names[i].find("recompute") != std::string::npos) == (i < 3));
  for (StepVertex v = 0; v < graph.size(); ++v) CHECK(graph[v].name.find("queries recompute") == std::string::npos);
}

TEST_CASE("fused attention is one kernel each way, of 4 and 10 s s h FLOP, half of both under a causal mask") {
  const auto kernels = [](Model model) {
    set_attention(model, AttentionKernels::flash);
    const StepGraph graph = lower(model, plan_of(1, 1));
    std::vector<double> flop;
    for (StepVertex v = 0; v < graph.size(); ++v) {
      if (graph[v].name.find("block5.attention") != std::string::npos) flop.push_back(graph[v].work->flop.value);
    }
    return flop;
  };
  CHECK(kernels(bert(24)) == std::vector<double>{4 * kS * kS * kH, 10 * kS * kS * kH});
  const double s = 1024, h = 768;
  CHECK(kernels(load_model("gpt2")) == std::vector<double>{2 * s * s * h, 5 * s * s * h});
}

TEST_CASE("fused attention leaves nothing for selective recompute, and models without attention as they are") {
  const Model flash = bert(4, AttentionKernels::flash);
  CHECK(kept_bytes(flash, Recompute::selective) == kept_bytes(flash, Recompute::off));
  CHECK(passes_flop(flash, Recompute::selective) == passes_flop(flash, Recompute::off));
  CHECK(has_attention(flash));
  CHECK_FALSE(has_attention(load_model("resnet50")));
  CHECK_FALSE(has_attention(load_model("gnmt")));
}
