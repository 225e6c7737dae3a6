// Modules that run again, against the bytes of a layer of Korthikanti et al. (arXiv:2205.05198, section 4.1), which
// NVIDIA/Megatron-LM's theoretical_memory_usage.py takes too, and the FLOP of their products.
#include "workloads/lowering/recompute_modules.hpp"

#include <string>

#include "catch.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/split/expert_split.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr auto kAttention = RecomputeModule::core_attention, kMlp = RecomputeModule::mlp,
               kMoe = RecomputeModule::moe_activation, kNorm = RecomputeModule::layer_normalization,
               kLatent = RecomputeModule::latent_up_projection, kMixture = RecomputeModule::mixture;

Model model_of(const std::string& name, AttentionKernels kernels) {
  Model model = load_model(name);
  set_attention(model, kernels);
  return model;
}

StepPlan plan_with(std::initializer_list<RecomputeModule> modules, int blocks = 0) {
  StepPlan plan = test::plan_of(1, 1);
  plan.precision = Precision::bf16;
  plan.recompute = modules.size() == 0 ? Recompute::off : Recompute::selective;
  plan.recompute_modules = {};
  for (const RecomputeModule module : modules) plan.recompute_modules.add(module);
  plan.recompute_blocks = blocks;
  return plan;
}

// The bytes that a sample keeps of one more layer.
double bytes_of_layer(const std::string& name, AttentionKernels kernels,
                      std::initializer_list<RecomputeModule> modules) {
  const auto kept = [&](int layers) {
    const std::string model = name + (name.find(':') == std::string::npos ? ":" : ",");
    return kept_per_sample(model_of(model + "layers=" + std::to_string(layers), kernels), plan_with(modules)).value;
  };
  return kept(6) - kept(5);
}

double backward_flop(const Model& model, const StepPlan& plan) {
  const StepGraph graph = lower(model, plan);
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v)
    sum += graph[v].part == StepPart::backward ? graph[v].work->flop.value : 0;
  return sum;
}

}  // namespace

TEST_CASE("a layer whose modules run again keeps what is left of s h (34 + 5 a s / h) bytes") {
  const double s = 512, h = 1024, a = 16, scores = 5 * a * s * s;
  const auto bytes = [&](std::initializer_list<RecomputeModule> modules) {
    return bytes_of_layer("bert-large", AttentionKernels::unfused, modules);
  };
  CHECK(bytes({}) == 34 * s * h + scores);
  CHECK(bytes({kAttention}) == 34 * s * h);
  CHECK(bytes({kMlp}) == 18 * s * h + scores);  // without the inputs of GELU and of the second product
  CHECK(bytes({kAttention, kMlp}) == 18 * s * h);
}

TEST_CASE("normalisations of a pre-norm layer that run again drop the inputs of two products") {
  const double s = 2048, h = 768;
  const auto bytes = [&](std::initializer_list<RecomputeModule> modules) {
    return bytes_of_layer("gpt-126m", AttentionKernels::flash, modules);
  };
  CHECK(bytes({}) - bytes({kNorm}) == 4 * s * h);
  CHECK(bytes({}) - bytes({kMlp}) == 16 * s * h);
  CHECK(bytes({}) - bytes({kNorm, kMlp}) == 20 * s * h);
  CHECK(bytes({kAttention}) == bytes({}));  // fused
}

TEST_CASE("activations of experts and the up projection of latent attention drop what they make") {
  const double s = 4096;
  const auto saved = [&](const std::string& name, RecomputeModule module) {
    return bytes_of_layer(name, AttentionKernels::flash, {}) - bytes_of_layer(name, AttentionKernels::flash, {module});
  };
  CHECK(saved("mixtral-8x7b:sequence=4096", kMoe) == 2 * s * 2 * 14336);
  CHECK(saved("mixtral-8x7b:sequence=4096", kMlp) == 0);
  // Queries and keys of 128 heads and 192 channels, values of 128, and the normalised 1536 and 512.
  CHECK(saved("deepseek-v3:sequence=4096", kLatent) == 2 * s * (128 * (192 + 192 + 128) + 1536 + 512));
}

TEST_CASE("modules that run again take their forward FLOP once more, in so many blocks as are asked") {
  const Model model = model_of("gpt-126m", AttentionKernels::flash);
  const double s = 2048, h = 768, layers = 12;
  const double off = backward_flop(model, plan_with({}));
  CHECK(backward_flop(model, plan_with({kMlp})) - off == Approx(layers * 16 * s * h * h).epsilon(1e-2));
  CHECK(backward_flop(model, plan_with({kMlp}, 3)) - off == Approx(3 * 16 * s * h * h).epsilon(1e-2));
  int norms = 0;  // again, which are no products
  const StepGraph graph = lower(model, plan_with({kNorm}));
  for (StepVertex v = 0; v < graph.size(); ++v) norms += graph[v].name.ends_with("norm1 recompute");
  CHECK(norms == 12);
  const auto kept = [&](int blocks) { return kept_per_sample(model, plan_with({kMlp}, blocks)).value; };
  CHECK(kept(3) - kept(4) == 16 * s * h);
  CHECK(kept(12) == kept(0));
}

TEST_CASE("a mixture that runs again takes the FLOP of its router and experts and keeps what it read and made") {
  const Model qwen = model_of("qwen3-30b-a3b:sequence=4096,layers=4", AttentionKernels::flash);
  const double s = 4096, h = 2048, ffn = 768, experts = 128, chosen = 8, layers = 4;
  const double again = backward_flop(qwen, plan_with({kMixture})) - backward_flop(qwen, plan_with({}));
  CHECK(again == Approx(layers * s * 2 * h * (experts + chosen * 3 * ffn)).epsilon(1e-2));
  const auto kept = [&](std::initializer_list<RecomputeModule> modules) {
    return bytes_of_layer("qwen3-30b-a3b:sequence=4096", AttentionKernels::flash, modules);
  };
  // Rows of all chosen experts: those brought, with both halves of what the first product makes, and activated.
  CHECK(kept({}) - kept({kMixture}) >= 2 * s * chosen * (h + 3 * ffn));
  // Nano's 23 mixtures have an expert that all tokens go through.
  const Model nano = model_of("nemotron-3-nano:sequence=4096", AttentionKernels::flash);
  const double nano_again = backward_flop(nano, plan_with({kMixture})) - backward_flop(nano, plan_with({}));
  CHECK(nano_again == Approx(23 * s * 2 * 2688 * (128 + 2 * (6 * 1856 + 3712))).epsilon(1e-2));
}

TEST_CASE("ranks exchange again for a mixture that runs again, and for nothing else") {
  const auto all_to_alls = [](std::initializer_list<RecomputeModule> modules) {
    StepPlan plan = plan_with(modules);
    plan.parallelism[Axis::expert] = 8;
    const StepGraph graph = lower(split_experts(load_model("qwen3-30b-a3b:sequence=1024,layers=2"), 8), plan);
    int count = 0;
    for (StepVertex v = 0; v < graph.size(); ++v)
      count += graph[v].kind == NodeKind::collective && graph[v].collective == CollectiveKind::all_to_all ? 1 : 0;
    return count;
  };
  CHECK(all_to_alls({}) == 2 * 4);
  CHECK(all_to_alls({kMoe, kNorm}) == 2 * 4);
  CHECK(all_to_alls({kMixture}) == 2 * 6);
}
