// How a model is put into memory where the question leaves it open.
#include "sim/expert/layout.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest question_of(const std::string& topology, const std::string& workload,
                           const std::string& parallelism = "") {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.parallelism = parallelism;
  return request;
}

std::vector<std::string> layouts(const PredictRequest& request) {
  const Plan plan = plan_of_any_size(request);
  std::vector<std::string> texts;
  for (const Layout& layout : layouts_that_fit(request, plan, plan.cluster->accelerator.memory.value))
    texts.push_back(layout.text());
  return texts;
}

bool any_starts(const std::vector<std::string>& texts, const std::string& with) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.starts_with(with); });
}

}  // namespace

TEST_CASE("what fits stays as it is asked, and tables may lie each on one rank") {
  CHECK(layouts(question_of("tpu-v3-512", "resnet50")) == std::vector<std::string>{""});
  CHECK(layouts(question_of("dgx-b200", "dlrm-dcnv2")) == std::vector<std::string>{"", "embedding=8"});
}

TEST_CASE("tables and experts go over the fewest ranks that hold them, and tables over all") {
  const auto tables = layouts(question_of("tpu-v3-512", "dlrm"));
  CHECK(tables.front() == "embedding=16");
  CHECK(any_starts(tables, "embedding=256"));
  CHECK(any_starts(layouts(question_of("torus32x32:slice=8x8", "gshard-moe:experts=128,layers=36")), "expert="));
}

TEST_CASE("a transformer that does not fit is fused, sharded, computed again or split, within a node") {
  const auto small = layouts(question_of("dgx-h100:nodes=8", "llama-2-7b:sequence=8192"));
  CHECK(small.front() == "attention=flash");  // its optimizer is sharded as it is
  for (const std::string& text : layouts(question_of("dgx-h100", "llama2-70b-lora")))
    CHECK(text.starts_with("tensor="));
}

TEST_CASE("what the question says of the layout stays") {
  CHECK(layouts(question_of("tpu-v3-512", "dlrm", "embedding=32")) == std::vector<std::string>{""});
  CHECK(layouts(question_of("tpu-v3-512", "dlrm", "data=256")).empty());
  PredictRequest unsharded = question_of("dgx-h100:nodes=8", "llama-2-7b");
  unsharded.options.memory.sharding = StateSharding::none;
  for (const std::string& text : layouts(unsharded)) CHECK(text.find("sharding") == std::string::npos);
}

TEST_CASE("of a batch that is told, the layouts hold it in parts or whole") {
  PredictRequest told = question_of("dgx-h100", "stable-diffusion-v2");
  told.precision = Precision::fp16;
  told.global_batch = 256;
  CHECK(layouts(told) == std::vector<std::string>{"", "attention=flash"});
}
