// The format that a network is trained in where nobody says one.
#include "sim/expert/usual_precision.hpp"

#include "catch.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Precision usual(const std::string& accelerator, const std::string& network) {
  static const Evidence record = published_anchors();
  return usual_precision(record, network, load_accelerator(accelerator)).precision;
}

Precision without_record(const std::string& accelerator) {
  return usual_precision({}, "resnet50", load_accelerator(accelerator)).precision;
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
