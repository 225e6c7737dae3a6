// The format that a network is trained in where nobody says one.
#include "sim/expert/usual_precision.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Precision usual(const std::string& accelerator, const std::string& network) {
  static const Evidence record = published_anchors();
  return usual_precision(record, load_model(network), load_accelerator(accelerator)).precision;
}

Precision without_record(const std::string& accelerator) {
  return usual_precision({}, load_model("resnet50"), load_accelerator(accelerator)).precision;
}

}  // namespace

TEST_CASE("the usual format is the fastest of the runs on record on the chip") {
  CHECK(usual("h100-sxm5", "bert-large") == Precision::fp8);
  CHECK(usual("h100-sxm5", "resnet50") == Precision::fp16);
  CHECK(usual("p100-sxm2", "resnet50") == Precision::fp32);
  CHECK(usual("k80", "inception3") == Precision::fp32);
  CHECK(usual("tpu-v3", "bert-large") == Precision::bf16);
}

TEST_CASE("without a run on record it is a narrow format where matrix units gain by it") {
  CHECK(without_record("v100-sxm2-16gb") == Precision::fp16);
  CHECK(without_record("a10g") == Precision::fp16);  // twice fp32's rate, on matrix units
  CHECK(without_record("l40s") == Precision::fp16);
  CHECK(without_record("p100-sxm2") == Precision::fp32);  // twice fp32's rate, on vector units
  CHECK(without_record("k80") == Precision::fp32);
}

TEST_CASE("a model's file may say how most of its published runs were made") {
  CHECK(load_model("mpt-30b").training.software.software == SoftwareClass::eager);
  CHECK(load_model("mpt-30b").training.formats.empty());
  CHECK(load_model("llama-3-70b").training.formats.at("b200") == Precision::fp8);
  CHECK(load_model("llama-3.1-8b-mlperf").training.formats.at("b200") == Precision::nvfp4);
  CHECK(load_model("llama-3.1-8b-mlperf").training.formats.at("h100") == Precision::fp8);
  CHECK(load_model("resnet50").training.formats.empty());
}

TEST_CASE("a language model is trained as its published runs on such a chip were") {
  CHECK(usual("h100-sxm5", "llama-3-8b") == Precision::fp8);
  CHECK(usual("gb200", "deepseek-v3") == Precision::fp8);
  CHECK(usual("h800-sxm5", "llama-3-8b") == Precision::bf16);  // Kwai's and FlagPerf's
  CHECK(usual("h800-sxm5", "deepseek-v3") == Precision::fp8);  // its own
  CHECK(usual("h100-sxm5", "mpt-30b") == Precision::bf16);     // llm-foundry's are in bf16, but six of sixty
  CHECK(usual("l40s", "llama-3-8b") == Precision::bf16);       // it has fp8, but nobody publishes such a run
  CHECK(usual("a100-sxm4-80gb", "llama-3-8b") == Precision::bf16);
}

TEST_CASE("models name accelerators of the catalogue, or kinds of them, where published runs had something else") {
  std::set<std::string> kinds;
  std::vector<std::string> known = accelerator_names();
  for (const std::string& accelerator : known) kinds.insert(load_accelerator(accelerator).chip);
  known.insert(known.end(), kinds.begin(), kinds.end());
  std::size_t named = 0;
  for (const std::string& model : model_names()) {
    INFO(model);
    const PublishedTraining training = load_model(model).training;
    std::vector<std::string> names = training.but;
    for (const auto& [kind, format] : training.formats) CHECK(kinds.count(kind) == 1);
    for (const auto& [accelerator, software] : training.software_on) {
      names.push_back(accelerator);
      CHECK_NOTHROW(options_of(software.settings));
    }
    for (const std::string& accelerator : names)
      CHECK(std::find(known.begin(), known.end(), accelerator) != known.end());
    named += names.size();
  }
  CHECK(named > 20);
}
