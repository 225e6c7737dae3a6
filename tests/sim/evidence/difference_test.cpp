#include "sim/evidence/difference.hpp"

#include "catch.hpp"
#include "sim/options/option.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

RunTraits set_run(const std::string& settings, int accelerators = 8, double batch = 512) {
  ParsedAnchor anchor;
  anchor.topology = "dgx-a100";
  anchor.accelerators = accelerators;
  anchor.workload = "resnet50";
  anchor.precision = Precision::fp16;
  anchor.global_batch = batch;
  anchor.options = parse_options(settings);
  return TraitsReader().traits(anchor);
}

Difference between(const std::string& asked, const std::string& other) {
  return difference(set_run(asked), set_run(other));
}

}  // namespace

TEST_CASE("a run that was set otherwise is another one, unless the table says why not") {
  for (const char* setting : {"overlap=off", "recompute=full", "attention=flash", "slow_rank=0:0.5",
                              "jitter=normal:0.1", "sequence_parallel=on", "sharded_update=on"}) {
    INFO(setting);
    CHECK(between(setting, "").settings);
    CHECK(between("", setting).settings);
  }
  for (const char* setting : {"fusion=off", "multi_tensor=off", "page_cache=off", "epochs=1", "recipe=any"}) {
    INFO(setting);
    CHECK_FALSE(between(setting, "").settings);
    CHECK(between(setting, "").any_setting);
  }
  CHECK(Option{}.tells_apart == TellsApart::always);  // so does a setting that nobody has thought about
}

TEST_CASE("XLA's front ends are one code base on TPUs, and others elsewhere") {
  const auto code_base = [](const std::string& stack, const std::string& accelerator) {
    return stack_name(stack, chip_traits(accelerator)).code_base;
  };
  for (const char* stack : {"mlperf-v0.7", "mlperf-v0.7-jax", "mlperf-v0.7-tf2", "mlperf-v0.7-torch-xla"})
    CHECK(code_base(stack, "tpu-v3") == "mlperf");
  CHECK(code_base("mlperf-v0.7-jax", "a100-sxm4-40gb") == "mlperf-jax");
  CHECK(code_base("mlperf-v0.7-pytorch", "tpu-v3") == "mlperf-pytorch");
  CHECK(code_base("tf-1.12", "tpu-v3") == "tf");
}

TEST_CASE("data, update and optimizer count where the question names them") {
  CHECK(between("data=real", "").named_settings == 1);
  CHECK(between("data=real;optimizer=lars", "optimizer=sgd").named_settings == 2);
  CHECK_FALSE(between("", "data=real;optimizer=lars").settings);
}

TEST_CASE("how a batch is split is the size's matter, and a stack has a distance of its own") {
  const Difference split = between("accumulation=4", "");
  CHECK_FALSE(split.settings);
  CHECK_FALSE(split.beside_size);
  CHECK(split.batch_ratio == 0.25);
  CHECK(split.batch_each_apart == 0);
  const Difference stack = between("stack=mlperf-v0.7-mxnet", "stack=mlperf-v1.0-mxnet");
  CHECK_FALSE(stack.settings);
  CHECK(stack.beside_size);
  CHECK_FALSE(stack.beside_stack);
  CHECK(stack.release);
  CHECK_FALSE(stack.code_base);
  CHECK(stack.stack < between("stack=mlperf-v0.7-mxnet", "stack=dle-mxnet").stack);
}

TEST_CASE("an order compares the first of its members that differs") {
  const NearerBy<&Difference::size_apart, &Difference::batch_apart> nearer;
  const RunTraits asked = set_run("", 16, 1024);
  const Difference small = difference(asked, set_run("", 4, 256)), half = difference(asked, set_run("", 8, 64)),
                   same_batch = difference(asked, set_run("", 8, 512));
  CHECK(nearer(half, small));
  CHECK(nearer(same_batch, half));
  CHECK_FALSE(nearer(half, half));
}
