#include "workloads/lowering/memory.hpp"

#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/model/model_text.hpp"
#include "workloads/pipeline/graph_run.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

StepPlan plan_of(double batch, Precision precision, Optimizer optimizer = Optimizer::momentum) {
  StepPlan plan;
  plan.parallelism[Axis::data] = 8;
  plan.batch_per_accelerator = batch;
  plan.precision = precision;
  plan.optimizer = optimizer;
  return plan;
}

constexpr Bytes gigabytes(double v) { return Bytes(v * 1e9); }

// Elements that a sample leaves for the backward pass, of a model without masks.
double kept_elements(const Model& model) { return kept_per_sample(model, StepPlan{}).value / 4; }

}  // namespace

TEST_CASE("batches that published runs used fit the memory they had") {
  struct Row {
    const char* model;
    int batch;
    Precision precision;
    double gigabytes;
    const char* run;
  };
  const Row rows[] = {
      {"resnet50-v1", 64, Precision::fp32, 16, "TensorFlow benchmarks 2017, P100"},
      {"resnet50-v1", 64, Precision::fp32, 12, "TensorFlow benchmarks 2017, K80"},
      {"resnet152-v1", 64, Precision::fp32, 16, "TensorFlow benchmarks 2017, P100"},
      {"resnet152-v1", 32, Precision::fp32, 12, "TensorFlow benchmarks 2017, K80"},
      {"vgg16", 32, Precision::fp32, 12, "TensorFlow benchmarks 2017, K80"},
      {"alexnet", 512, Precision::fp32, 12, "TensorFlow benchmarks 2017, P100 and K80"},
      {"resnet50", 128, Precision::fp32, 16, "OneFlow DLPerf, V100-16GB"},
      {"resnet50", 208, Precision::fp16, 16, "MLPerf v0.5 to v0.7, NVIDIA DGX-1, 1664 on 8 V100-16GB"},
      {"resnet50", 256, Precision::fp16, 16, "MLPerf v0.5, Google, 2048 on 8 V100-16GB"},
      {"resnet50", 256, Precision::bf16, 16, "MLPerf v0.5, Google, 1024 on 4 TPU v2 chips"},
      {"resnet50", 256, Precision::bf16, 32, "MLPerf v0.6, Google, 4096 on 16 TPU v3 chips"},
      {"resnet50", 408, Precision::fp16, 40, "MLPerf v0.7, NVIDIA DGX A100, 3264 on 8 A100-40GB"},
  };
  for (const auto& row : rows) {
    INFO(row.model << ": " << row.run);
    const auto plan = plan_of(row.batch, row.precision);
    const Model model = load_model(row.model);
    CHECK(memory_use(model, plan).total() <= gigabytes(row.gigabytes));
    CHECK(largest_batch(model, plan, gigabytes(row.gigabytes)) >= row.batch);
  }
}

TEST_CASE("twice what fits in fp32 does not fit") {
  // 256 samples of 21 M kept elements in fp32 are 21.6 GB already.
  CHECK(memory_use(load_model("resnet50"), plan_of(256, Precision::fp32)).total() > gigabytes(20));
  CHECK(largest_batch(load_model("resnet50"), plan_of(1, Precision::fp32), gigabytes(16)) < 256);
}

TEST_CASE("ResNet-50 keeps its convolution outputs and all normalised tensors but the four projections") {
  const Model model = load_model("resnet50");
  std::int64_t elements = model.inputs.front().shape.elements();
  for (const auto& layer : model.layers) {
    if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::batch_normalization) {
      elements += layer.output.elements();
    }
  }
  elements -= 256 * 56 * 56 + 512 * 28 * 28 + 1024 * 14 * 14 + 2048 * 7 * 7;  // only added, in place
  elements += 64 * 56 * 56 + 2048 + 1000;                                     // two pools, probabilities
  CHECK(kept_elements(model) == double(elements));
  CHECK(double(elements) / 1e6 == Approx(21.08).margin(0.01));
}

TEST_CASE("a network without normalisation keeps its activations once") {
  const Model model = load_model("vgg16");
  std::int64_t elements = model.inputs.front().shape.elements();
  for (const auto& layer : model.layers) {
    if (layer.kind == LayerKind::relu || layer.kind == LayerKind::max_pool || layer.kind == LayerKind::softmax_loss) {
      elements += layer.output.elements();
    }
  }
  CHECK(kept_elements(model) == double(elements));
}

TEST_CASE("states of fp32 momentum take 12 bytes a parameter, of mixed precision 12 too") {
  const Model model = load_model("resnet50");
  const auto states = [&](const StepPlan& plan) {
    const auto use = memory_use(model, plan);
    return (use.weights + use.gradients + use.optimizer_state).value / 25557032;
  };
  CHECK(states(plan_of(1, Precision::fp32)) == 12);         // weight, gradient, momentum
  CHECK(states(plan_of(1, Precision::bf16)) == 6 + 2 + 4);  // weight twice, gradient, momentum
  CHECK(states(plan_of(1, Precision::fp32, Optimizer::sgd)) == 8);
  StepPlan sharded = plan_of(1, Precision::fp32, Optimizer::lars);
  sharded.sharding = StateSharding::optimizer;
  CHECK(states(sharded) == 8.5);
}

TEST_CASE("one rank needs no buffers for exchanges") {
  StepPlan plan = plan_of(1, Precision::fp32);
  CHECK(memory_use(load_model("resnet50"), plan).buffers.value == 4.0 * 25557032);
  plan.parallelism[Axis::data] = 1;
  CHECK(memory_use(load_model("resnet50"), plan).buffers.value == 0);
}

TEST_CASE("the largest batch fits and the next one does not") {
  const Model model = load_model("resnet50");
  for (const double memory : {3e9, 11.5e9, 16e9, 31.75e9, 80e9}) {
    for (const auto precision : {Precision::fp32, Precision::bf16}) {
      StepPlan plan = plan_of(1, precision);
      const int largest = largest_batch(model, plan, Bytes(memory));
      plan.batch_per_accelerator = largest;
      CHECK(memory_use(model, plan).total().value <= memory * (1 + 1e-12));
      plan.batch_per_accelerator = largest + 1;
      CHECK(memory_use(model, plan).total().value > memory);
    }
  }
  CHECK(largest_batch(model, plan_of(1, Precision::fp32), Bytes(5e8)) == 0);
  CHECK(largest_batch(model, plan_of(1, Precision::fp32), Bytes(0)) == 0);
  CHECK(largest_batch(model, plan_of(1, Precision::fp32), Bytes(1e30)) > 1000000);
}

TEST_CASE("a Transformer layer keeps what Korthikanti et al. count, and without fusion more") {
  // arXiv:2205.05198, section 4.1: s h (34 + 5 a s / h) bytes a layer and sample in 16-bit formats.
  const double s = 512, h = 1024, a = 16;
  StepPlan plan = plan_of(1, Precision::fp16);
  const auto kept = [&](int layers) {
    return kept_per_sample(load_model("bert-large:layers=" + std::to_string(layers)), plan).value;
  };
  CHECK(kept(5) - kept(4) == s * h * (34 + 5 * a * s / h));
  plan.fusion = false;
  // In fp32: of the normalisations' inputs 2 s h each more and a factor of 4 s h each, of the GELU's input 8 s h more,
  // its tanh and half sum of 16 s h each. Three masks are numbers, not bytes: 2 s h and a s s more.
  CHECK(kept(5) - kept(4) == s * h * (34 + 5 * a * s / h) + s * h * (2 * (2 + 4) + 8 + 2 * 16 + 2) + a * s * s);
}

TEST_CASE("recompute keeps a block's input of each layer, and one layer in full") {
  const double s = 512, h = 1024, a = 16;
  StepPlan plan = plan_of(1, Precision::fp16);
  plan.recompute = Recompute::full;
  const auto kept = [&](int layers) {
    return kept_per_sample(load_model("bert-large:layers=" + std::to_string(layers)), plan).value;
  };
  CHECK(kept(24) - kept(12) == 12 * 2 * s * h);
  plan.recompute = Recompute::off;
  const double all = kept(24);
  plan.recompute = Recompute::full;
  CHECK(all - kept(24) == Approx(23 * (s * h * (34 + 5 * a * s / h) - 2 * s * h)).epsilon(0.01));
}

TEST_CASE("recompute of some blocks spares as much of each, and computes as much again for each") {
  const Model model = load_model("bert-large:layers=12");
  const double s = 512, h = 1024, a = 16, of_a_block = s * h * (34 + 5 * a * s / h) - 2 * s * h;
  const auto of = [&](int blocks) {
    StepPlan plan = plan_of(1, Precision::fp16);
    plan.recompute = blocks == 0 ? Recompute::off : Recompute::full;
    plan.recompute_blocks = blocks;
    return std::pair(kept_per_sample(model, plan).value, total_flop(lower(model, plan)));
  };
  StepPlan whole = plan_of(1, Precision::fp16);
  whole.recompute = Recompute::full;
  const double flop_off = of(0).second;
  const double kept_full = kept_per_sample(model, whole).value, flop_full = total_flop(lower(model, whole));
  CHECK(of(12) == std::pair(kept_full, flop_full));
  for (int blocks = 1; blocks <= 12; ++blocks) {
    const auto [kept, flop] = of(blocks);
    if (blocks < 12) CHECK(of(1).first - kept == Approx((blocks - 1) * of_a_block));  // the last hands on to the heads
    CHECK(flop - flop_off == Approx((flop_full - flop_off) * blocks / 12));
  }
}

TEST_CASE("micro-batches keep the activations of one") {
  const Model model = load_model("resnet50");
  StepPlan plan = plan_of(64, Precision::fp16);
  const Bytes whole = memory_use(model, plan).activations;
  plan.micro_batches = 4;
  CHECK(memory_use(model, plan).activations.value == whole.value / 4);
  const int largest = largest_batch(model, plan, gigabytes(16));
  CHECK(largest % 4 == 0);
  plan.batch_per_accelerator = largest;
  CHECK(memory_use(model, plan).total() <= gigabytes(16));
  plan.batch_per_accelerator = largest + 4;
  CHECK(memory_use(model, plan).total() > gigabytes(16));
}

TEST_CASE("frozen parameters have no gradient and no state, and their layers keep no input") {
  const Model model = load_model("mask-rcnn");
  const StepPlan plan = plan_of(1, Precision::fp32);
  const MemoryUse use = memory_use(model, plan);
  CHECK(use.gradients.value == 4.0 * double(model.trainable_parameters()));
  CHECK(use.optimizer_state.value == 4.0 * double(model.trainable_parameters()));
  CHECK(use.weights.value == 4.0 * double(model.parameters()));
  Model thawed = model;
  for (auto& layer : thawed.layers) layer.trainable = true;
  CHECK(kept_per_sample(thawed, plan) > kept_per_sample(model, plan));
}

TEST_CASE("of a sparse table only the rows of the batch have a gradient, all have a state") {
  const Model model = load_model("dlrm");
  StepPlan plan = plan_of(1000, Precision::fp32, Optimizer::adagrad);
  const MemoryUse use = memory_use(model, plan);
  CHECK(use.gradients.value < 0.01 * use.weights.value);
  CHECK(use.optimizer_state.value == 4.0 * double(model.parameters()));
  CHECK(largest_part(use).first == "weights");
  const Bytes room = use.weights + use.optimizer_state + gigabytes(20);
  plan.batch_per_accelerator = largest_batch(model, plan, room);
  CHECK(memory_use(model, plan).total() <= room);
  CHECK(memory_use(model, plan).total() > room * 0.99);
}

TEST_CASE("the largest part of a plan is named") {
  CHECK(largest_part(memory_use(load_model("resnet50"), plan_of(64, Precision::fp32))).first == "activations");
  StepPlan states = plan_of(1, Precision::fp32, Optimizer::adam);
  states.recompute = Recompute::full;
  CHECK(largest_part(memory_use(load_model("gpt2-xl"), states)).first == "optimizer state");
}

TEST_CASE("frozen weights are kept in the step's format, in eight-bit steps in eight bits") {
  const Model model = load_model("llama2-70b-lora");
  const double frozen = double(model.parameters() - model.trainable_parameters());
  CHECK(model.trainable_parameters() == 44564480);
  for (const auto& [precision, each] : {std::pair{Precision::bf16, 2.0}, std::pair{Precision::fp8, 1.0}})
    CHECK(memory_use(model, plan_of(1, precision)).weights.value == Approx(each * frozen + 6.0 * 44564480));
  CHECK(memory_use(model, plan_of(1, Precision::fp32)).weights.value == Approx(4.0 * double(model.parameters())));
}

TEST_CASE("eight-bit steps keep what products alone read again in eight bits") {
  // The outputs of the first layer (16) and of the second (4) are operands of the next; the model's input (8) stays as
  // it came, and the loss keeps 2 probabilities in the step's format.
  const Model model = read_text(with_inputs("{x: {features: 8}}",
                                            "  - {layer: dense, name: first, outputs: 16}\n"
                                            "  - {layer: dense, name: second, outputs: 4}\n"));
  const auto kept = [&](Precision precision) { return kept_per_sample(model, plan_of(1, precision)).value; };
  CHECK(kept(Precision::bf16) == 2 * (8 + 16 + 4 + 2));
  CHECK(kept(Precision::fp8) == 2 * 8 + 16 + 4 + 2 * 2);
}
