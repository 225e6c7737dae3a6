#include "sim/plan/plan.hpp"

#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "workloads/lowering/memory.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Plan plan_for(const std::string& workload, const Settings& settings = {}) {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = workload;
  request.options = options_of(settings);
  return make_plan(request);
}

}  // namespace

TEST_CASE("the optimizer is the recipe's, else the family's usual one, else as asked") {
  CHECK(plan_for("vgg16").step.optimizer == Optimizer::momentum);
  CHECK(plan_for("resnet50", {{"recipe", "v0.6-lars"}}).step.optimizer == Optimizer::lars);
  CHECK(plan_for("resnet50", {{"recipe", "v0.5-sgd"}}).step.optimizer == Optimizer::momentum);
  CHECK(plan_for("gpt2").step.optimizer == Optimizer::adam);
  CHECK(plan_for("gpt2", {{"optimizer", "adagrad"}}).step.optimizer == Optimizer::adagrad);
}

TEST_CASE("fused attention and selective recompute are for models with attention") {
  const auto batch = [](const Settings& settings) { return plan_for("gpt2", settings).step.batch_per_accelerator; };
  CHECK(batch({{"recompute", "selective"}}) > batch({}));
  CHECK(batch({{"attention", "flash"}}) > batch({{"recompute", "selective"}}));
  CHECK_THROWS_WITH(plan_for("resnet50", {{"attention", "flash"}}),
                    ContainsSubstring("--set attention=flash") && ContainsSubstring("no attention layer"));
  CHECK_THROWS_WITH(plan_for("gnmt", {{"recompute", "selective"}}), ContainsSubstring("changes nothing: gnmt has no"));
  CHECK(batch({{"recompute", "mlp"}}) > batch({}));
  CHECK(batch({{"recompute", "mlp+layernorm"}}) > batch({{"recompute", "mlp"}}));
  CHECK_THROWS_WITH(plan_for("gpt2", {{"recompute", "mlp+mla_up_proj"}}),
                    ContainsSubstring("--set recompute=mla_up_proj: changes nothing: gpt2 has no such part"));
}

TEST_CASE("recompute of so many blocks asks for as many as there are, and not for GPipe's stages") {
  CHECK(plan_for("gpt2", {{"recompute", "full:12"}}).step.recompute_blocks == 12);
  CHECK_THROWS_WITH(
      plan_for("gpt2", {{"recompute", "full:13"}}),
      ContainsSubstring("full:13 asks for more blocks than the 12 of the model; recompute=full:12 works"));
  CHECK_THROWS_WITH(plan_for("resnet50", {{"recompute", "full:99"}}), ContainsSubstring("asks for more blocks than"));
  PredictRequest request;
  request.topology = "dgx1-v100";
  request.workload = "gpt2";
  request.parallelism = "pipeline=4,data=2,micro_batches=8";
  request.options = options_of({{"recompute", "full:1"}, {"pipeline_schedule", "gpipe"}});
  CHECK_THROWS_WITH(make_plan(request), ContainsSubstring("GPipe runs whole stages again"));
  request.options = options_of({{"recompute", "full:4"}});
  CHECK_THROWS_WITH(make_plan(request), ContainsSubstring("the 3 of a stage's chunk; recompute=full:3 works"));
}

TEST_CASE("a batch that nobody gave is what fits, for images at most 256") {
  CHECK(plan_for("vgg16").step.batch_per_accelerator <= 256);
  const Plan plan = plan_for("gpt2");
  const Bytes memory = plan.cluster->accelerator.memory.value;
  CHECK(plan.step.batch_per_accelerator == largest_batch(plan.model, plan.step, memory));
  const Plan parts = plan_for("gpt2", {{"accumulation", "4"}, {"recompute", "full"}});
  CHECK(parts.step.micro_batches == 4);
  CHECK(parts.step.recompute == Recompute::full);
  CHECK(parts.step.batch_per_accelerator > plan.step.batch_per_accelerator);
}

TEST_CASE("a plan whose rate is given has any memory and any batch: it ran") {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "llama2-70b-lora";
  request.precision = Precision::bf16;
  request.global_batch = 12;
  const auto ask = [&](const Settings& settings) {
    request.options = options_of(settings);
    return make_plan(request);
  };
  request.global_batch = 4;
  CHECK_THROWS_WITH(ask({}), ContainsSubstring("a global batch of 4 is less than one sample on each of 8"));
  request.global_batch = 8;
  CHECK_THROWS_WITH(ask({}), ContainsSubstring("1 sample per accelerator needs"));
  request.global_batch = 4;  // half a sample on each
  const Plan plan = ask({{"throughput", "2"}});
  CHECK(plan.step.batch_per_accelerator == 0.5);
  CHECK(plan.global_batch() == 4);
}

TEST_CASE("expert_tensor= is refused of a model without experts") {
  PredictRequest request;
  request.topology = "dgx-h100";
  request.parallelism = "tensor=2,expert_tensor=2";
  request.workload = "llama3-8b";
  CHECK_THROWS_WITH(make_plan(request), ContainsSubstring("llama-3-8b has no mixture of experts"));
  request.workload = "mixtral-8x7b";
  CHECK_THROWS_WITH(make_plan(request), !ContainsSubstring("no mixture of experts"));
}

TEST_CASE("experts are whole, each for the tokens of its rank, or divided by all tensor ranks") {
  PredictRequest request;
  request.topology = "dgx-h100:nodes=8";
  request.workload = "mixtral-8x7b";
  request.parallelism = "tensor=2,expert=8,expert_tensor=1";
  const Plan plan = plan_of_any_size(request);
  CHECK(plan.options.parallelism.whole_experts);
  CHECK(plan.step.parallelism[Axis::expert] == 4);
  CHECK(plan.step.parallelism[Axis::data] == 8);
  request.options = options_of({{"sequence_parallel", "off"}});
  CHECK_THROWS_WITH(plan_of_any_size(request), ContainsSubstring("expert_tensor=2 works"));
  request.options = {};
  request.parallelism = "tensor=4,expert=8,expert_tensor=2";
  CHECK_THROWS_WITH(plan_of_any_size(request), ContainsSubstring("not over 2 of them; expert_tensor=4 works"));
}

TEST_CASE("tuned software takes tokens to experts by node, and by-node is refused where one node has them all") {
  PredictRequest request;
  request.topology = "dgx-h100:nodes=2";
  request.workload = "olmoe-1b-7b";
  request.parallelism = "expert=16";
  CHECK(plan_of_any_size(request).options.parallelism.dispatch == ExpertDispatch::by_node);
  request.options = options_of({{"stack", "torchtitan"}});
  CHECK(plan_of_any_size(request).options.parallelism.dispatch == ExpertDispatch::alltoall);
  request.options = options_of({{"dispatch", "deepep"}});
  CHECK(plan_of_any_size(request).options.parallelism.dispatch == ExpertDispatch::by_node);
  request.parallelism = "expert=8";
  CHECK_THROWS_WITH(plan_of_any_size(request), ContainsSubstring("within each node"));
}
