#include "calibrate/profile/imported_collectives.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "nccl_systems.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const NcclTarget kTwoBoxes{"dgx-a100", "dgx-a100", a100_boxes(2), "a100-sxm4-40gb"};

// An all-reduce of 16 ranks whose file does not say which machine that was.
CollectiveSweep sweep_of(const std::vector<double>& payloads) {
  CollectiveSweep sweep{CollectiveKind::all_reduce, "nccl", "cuda", Precision::fp32, "", 2, 8, {}, {}};
  for (const double payload : payloads) {
    const Seconds time = microseconds(50) + Bytes(payload) / gigabytes_per_second(80);
    sweep.points.push_back({Bytes(payload), {time, time, time, 20, 0}, {time}});
  }
  sweep.source = {Provenance::measured, "a log", "2026-11-22"};
  return sweep;
}

}  // namespace

TEST_CASE("the structure alone gives a curve for both sizes that gradients have") {
  Profile profile;
  const CollectiveCurve curve = add_unmeasured(profile, kTwoBoxes);
  CHECK(curve.points.empty());
  CHECK(curve.precision == Precision::fp32);
  REQUIRE(profile.collectives.size() == 2);
  CHECK(profile.collectives[1].precision == Precision::fp16);
  add_unmeasured(profile, kTwoBoxes);
  CHECK(profile.collectives.size() == 2);
}

TEST_CASE("sweeps of few sizes become curves of the target, and what was measured is not replaced") {
  Profile profile;
  const auto curves = add_completed(profile, {sweep_of({1024, 1e8})}, kTwoBoxes);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].machine == "dgx-a100");
  CHECK(curves[0].points.size() == 2);
  CHECK(profile.collectives == curves);
  CHECK_THROWS_WITH(add_unmeasured(profile, kTwoBoxes), ContainsSubstring("knows measured sizes"));
  CHECK(curves_of(profile, {}).empty());
}

TEST_CASE("a file of sweeps that is not there is named") {
  CHECK_THROWS_WITH(imported_sweeps({"/nowhere/nccl.log"}, {}), ContainsSubstring("/nowhere/nccl.log"));
  CHECK(imported_sweeps({}, {}).all.empty());
}
