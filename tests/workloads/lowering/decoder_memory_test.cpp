// What layers of decoders keep for the backward pass, against Korthikanti et al. (arXiv:2205.05198) and by formula.
#include <string>

#include "catch.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

double kept(const std::string& name, AttentionKernels kernels) {
  Model model = load_model(name);
  set_attention(model, kernels);
  StepPlan plan = plan_of(1, 1);
  plan.precision = Precision::bf16;
  return kept_per_sample(model, plan).value;
}

// Returns what one layer of `name` adds, its first layers being alike.
double kept_by_layer(const std::string& name, AttentionKernels kernels) {
  return kept(name + "layers=5", kernels) - kept(name + "layers=4", kernels);
}

}  // namespace

TEST_CASE("a layer of GPT keeps 34 s h bytes and 5 a s s of its scores") {
  const double s = 2048, h = 12288, a = 96;
  CHECK(kept_by_layer("gpt3-175b:", AttentionKernels::unfused) == 34 * s * h + 5 * a * s * s);
  CHECK(kept_by_layer("gpt3-175b:", AttentionKernels::flash) == 34 * s * h + 4 * a * s);
}

TEST_CASE("a layer of Llama keeps its two inputs, four operands and the halves of its gate") {
  // In 16 bits: both normalisations' inputs and results, packed queries, keys and values, the result of attention, and
  // 3 f of the gated part; without dropout 2 a s s bytes of scores.
  const double s = 8192, h = 4096, heads = 32, kv = 8, d = 128, f = 14336;
  const double layer = 2 * s * (4 * h + (heads + 2 * kv) * d + heads * d + 3 * f);
  CHECK(kept_by_layer("llama-3-8b:", AttentionKernels::flash) == layer + 4 * heads * s);
  CHECK(kept_by_layer("llama-3-8b:", AttentionKernels::unfused) == layer + 2 * heads * s * s);
}

TEST_CASE("a mixture keeps what each chosen expert reads and makes") {
  const double s = 4096, h = 4096, heads = 32, kv = 8, d = 128, f = 14336, chosen = 2;
  const double attention = 2 * s * (2 * h + (heads + 2 * kv) * d + heads * d) + 4 * heads * s;
  const double mixture = 2 * s * (2 * h + chosen * (h + 3 * f));
  CHECK(kept_by_layer("mixtral-8x7b:", AttentionKernels::flash) == attention + mixture);
}

TEST_CASE("the loss keeps its logits in fp32") {
  const auto more = [](const char* wide, const char* narrow) {
    return kept(wide, AttentionKernels::flash) - kept(narrow, AttentionKernels::flash);
  };
  CHECK(more("llama-2-7b:layers=1,vocabulary=3000", "llama-2-7b:layers=1,vocabulary=2000") == 4.0 * 4096 * 1000);
}

TEST_CASE("131,072 tokens of Llama 3.1 405B are a sample like others") {
  const Model model = load_model("llama-3.1-405b:sequence=131072");
  const double s = 131072, h = 16384, f = 53248, packed = (128 + 16) * 128.0;
  CHECK(double(model.macs()) ==
        Approx(s * (126 * (h * packed + h * h + 3 * h * f + 2 * s * h) + h * 128256)).epsilon(1e-12));
}
