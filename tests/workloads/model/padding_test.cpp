// Samples without their padding, as some software computes them.
#include "workloads/model/padding.hpp"

#include "catch.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {
namespace {

std::int64_t macs_of(const std::string& workload, const std::string& stack) {
  return as_computed(load_model(workload), stack).macs();
}

TEST_CASE("MLPerf's BERT in PyTorch computes 256 tokens of a sequence of 512, and it stays that network") {
  const Model whole = load_model("bert-large"), computed = as_computed(whole, "mlperf-v1.0-pytorch-dell");
  CHECK(computed.macs() == load_model("bert-large:sequence=256").macs());
  CHECK(computed.name == "bert-large");
  CHECK(computed.sample == whole.sample);
  CHECK(computed.changed.empty());
  CHECK(computed.parameters() == whole.parameters());
}

TEST_CASE("software that is not known to leave padding out computes it") {
  const std::int64_t whole = load_model("bert-large").macs();
  for (const char* stack : {"", "dle-pytorch-2021-07-14", "mlperf-v0.7-tf", "mlperf-v1.0", "mlperf-v0.6-pytorch",
                            "mlperf-v1.0-paddlepaddle", "mlperf-v1.0-pytorchlike"})
    CHECK(macs_of("bert-large", stack) == whole);
  CHECK(macs_of("bert-large", "mlperf-v2.1-paddlepaddle") < 51 * whole / 100);
}

TEST_CASE("software that draws sequences of like length computes next to no padding, and its ranks wait for none") {
  for (const char* stack : {"dle-pytorch-2024-04-04", "dle-paddlepaddle-2024-04-04"}) {
    CHECK(macs_of("bert-large", stack) == load_model("bert-large:sequence=256").macs());
    CHECK(as_computed(load_model("bert-large"), stack).sample_spread.value == 0);
    CHECK(computed_workload("bert-large", stack) == "bert-large:sequence=256");
  }
}

TEST_CASE("a length that the name gives is the length computed") {
  CHECK(macs_of("bert-large:sequence=256", "mlperf-v2.0-pytorch") == load_model("bert-large:sequence=256").macs());
  CHECK(macs_of("bert-large:sequence=512", "mlperf-v2.0-pytorch") == load_model("bert-large").macs());
  CHECK(macs_of("bert-large-128", "mlperf-v2.0-pytorch") == load_model("bert-large-128").macs());
}

TEST_CASE("ranks that keep their own samples wait for the longest, ranks that trade them do not") {
  CHECK(as_computed(load_model("bert-large"), "mlperf-v0.7-pytorch").sample_spread.value == 0.72);
  CHECK(as_computed(load_model("bert-large"), "mlperf-v1.0-pytorch").sample_spread.value == 0);
}

TEST_CASE("what a stack computes has a name") {
  CHECK(computed_workload("bert-large", "mlperf-v1.1-pytorch") == "bert-large:sequence=256");
  CHECK(computed_workload("bert-large:vocabulary=30528", "mlperf-v1.1-pytorch") ==
        "bert-large:vocabulary=30528,sequence=256");
  CHECK(computed_workload("bert-large:sequence=256", "mlperf-v1.1-pytorch") == "bert-large:sequence=256");
  CHECK(computed_workload("bert-large", "dle-pytorch") == "bert-large");
  CHECK(computed_workload("resnet50", "mlperf-v1.1") == "resnet50");
}

}  // namespace
}  // namespace mlsim::workloads
