#include "reports/pages/pages.hpp"

#include "catch.hpp"
#include "reports/renderers/renderers.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {
namespace {

using namespace reports;
using namespace calibrate;
using Catch::Matchers::ContainsSubstring;

struct Measured {
  MeasurePlan plan;
  std::vector<MeasureReply> replies;
};

// Two pools, of which the second ran by `implementation`.
Measured two_pools(const std::string& implementation) {
  Measured pools;
  for (const std::string name : {"jit:avx2", implementation.c_str()}) {
    PlannedMeasurement& planned = pools.plan.measurements.emplace_back();
    planned.order.subject = "kernel average_pool_forward fp32 8 64 8 8 8 " + std::to_string(pools.replies.size() + 1);
    MeasureReply& reply = pools.replies.emplace_back();
    reply.subject = planned.order.subject;
    reply.time = {Seconds(1), Seconds(1), Seconds(1), 10, 0};
    reply.implementation = name;
  }
  return pools;
}

}  // namespace

TEST_CASE("the table of what was measured names implementations, and counts references below") {
  const Measured quick = two_pools("simple_nchw:any"), slow = two_pools("ref:any");
  CHECK_THAT(page_text(calibration_page(quick.plan, quick.replies, {}), {}),
             ContainsSubstring("jit:avx2") && ContainsSubstring("simple_nchw:any") && !ContainsSubstring("reference"));
  CHECK_THAT(page_text(calibration_page(slow.plan, slow.replies, {}), {}),
             ContainsSubstring("ref:any") && ContainsSubstring("1 of them in the library's reference implementation"));
}

TEST_CASE("a law that the profile does not get is named with what it misses") {
  KernelLaw law;
  law.ops = {KernelOp::average_pool_forward, KernelOp::average_pool_backward};
  law.threads = 2;
  law.held_back = {78.88, 90, 3};
  CHECK(
      refused_laws_text({law}) ==
      "mlsim: no law of average_pool_forward and 1 more in fp32 on 2 threads: in the median a fit misses the 3 largest "
      "by 7888 %\n");
  CHECK(refused_laws_text({}).empty());
}

TEST_CASE("laws stand in a narrow terminal with their names whole") {
  KernelLaw law;
  law.ops = {KernelOp::conv_weight_gradient};
  law.precision = Precision::fp16;
  law.constants = {FlopPerSecond(794e12), gigabytes_per_second(3960), microseconds(46.4)};
  law.residual = {0.578, 0.678, 18}, law.held_back = {0.607, 0.626, 3};
  const std::string text = page_text(calibration_page({}, {}, {law}), {});
  CHECK_THAT(text, ContainsSubstring("conv_weight_gradient") && ContainsSubstring("794 TFLOP/s") &&
                       ContainsSubstring("60.7 / 62.6 %"));
}

TEST_CASE("a GPU that held its clock down is said, with the reason") {
  std::vector<MeasureReply> replies = two_pools("simple_nchw:any").replies;
  CHECK(throttled_text(replies).empty());
  replies[0].clock = "1.98 GHz; not throttled";
  replies[1].clock = "1.50 GHz; throttled: software power cap";
  CHECK(throttled_text(replies) == "the GPU held its clock down in 1 of 2 measurements: software power cap");
}

}  // namespace mlsim::test
