#include "calibrate/profile/imported_collectives.hpp"

#include "calibrate/fit/nccl_fit.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "costs/collective_time.hpp"
#include "nccl_systems.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const NcclTarget kBoxes{"boxes", "boxes", a100_boxes(2), "a100-sxm4-40gb"};

// NCCL's structure by the constants that come with mlsim, slowed.
CollectiveSweep sweep_of(const std::vector<double>& payloads, double slower, const std::string& file) {
  CollectiveSweep sweep{CollectiveKind::all_reduce, "nccl", "cuda", Precision::fp16, "boxes", 2, 8, {}, {}};
  for (const double payload : payloads) {
    const Seconds time =
        nccl_quickest(kBoxes.system, CollectiveKind::all_reduce, Bytes(payload), {}, fitted_nccl_constants())->time *
        slower;
    sweep.points.push_back({Bytes(payload), {time, time, time, 20, 0}, {time}});
  }
  sweep.source = {Provenance::measured, "nccl-tests all-reduce, version 2.19: " + file, "2026-11-22"};
  return sweep;
}

CollectiveCurve completed(const CollectiveSweep& sweep) { return completed_curve(sweep, kBoxes); }

}  // namespace

TEST_CASE("one size gives the curve of the published constants, two move it towards them") {
  const double far = 1 << 28;
  const Seconds before =
      nccl_quickest(kBoxes.system, CollectiveKind::all_reduce, Bytes(far), {}, fitted_nccl_constants())->time;
  const CollectiveCurve one = completed(sweep_of({1024}, 1.2, "one")),
                        two = completed(sweep_of({1024, 1e8}, 1.2, "two"));
  CHECK(collective_time(one, Bytes(far)).value == Approx(before.value));
  CHECK(collective_time(two, Bytes(far)).value > before.value);
  CHECK(two.residual.median < one.residual.median);
  CHECK(one.residual.median == Approx(1 - 1 / 1.2));  // |curve / measured - 1|
  CHECK(two.precision == Precision::fp16);
  CHECK(two.points == sweep_of({1024, 1e8}, 1.2, "two").points);
  CHECK(two.held_back.p90 == 0.26);
}

TEST_CASE("a curve that misses its own points by more than other systems has their error") {
  const CollectiveCurve wild = completed(sweep_of({1024, 1e8}, 8, "wild"));
  CHECK(wild.residual.p90 > 0.26);
  CHECK(wild.held_back == wild.residual);
  // It goes through them, and between them and beyond as the structure does, shifted.
  for (const auto& point : wild.points)
    CHECK(collective_time(wild, point.payload).value == Approx(point.time.median.value).epsilon(0.02));
  const auto truth = sweep_of({65536, 1e10}, 8, "others");
  for (const auto& point : truth.points)
    CHECK(collective_time(wild, point.payload).value == Approx(point.time.median.value).epsilon(0.3));
}

TEST_CASE("what was measured of a completed curve is found again") {
  const CollectiveSweep sweep = sweep_of({1024, 1e8}, 1, "few");
  const CollectiveSweep again = measured_part(completed(sweep));
  CHECK(again.points == sweep.points);
  CHECK(again.source == sweep.source);
  CHECK(measured_part(unmeasured_curve(kBoxes, Precision::fp32)).points.empty());
}

TEST_CASE("a profile's curve grows with further sizes, and completed curves make no law of ranks") {
  Profile profile;
  profile.collectives = {unmeasured_curve(kBoxes, Precision::fp16)};
  add_sweeps(profile, {sweep_of({1024, 1e8}, 1.1, "a")}, completed);
  add_sweeps(profile, {sweep_of({65536, 1e8}, 1.1, "b")}, completed);
  REQUIRE(profile.collectives.size() == 1);
  CHECK(profile.collectives[0].points.size() == 3);
  CHECK(profile.collectives[0].points[2].launches.size() == 2);
  CHECK_THAT(profile.collectives[0].source.source, ContainsSubstring(": a; ") &&
                                                       ContainsSubstring(": b; completed by NCCL's structure") &&
                                                       ContainsSubstring("sharpened by 3 sizes"));
  CollectiveSweep four_nodes = sweep_of({8, 64, 512, 4096, 32768, 1e6, 1e7}, 1.5, "four");
  four_nodes.nodes = 4;
  add_sweeps(profile, {four_nodes});
  CHECK(profile.collectives.size() == 2);
  CHECK(profile.rank_scalings.empty());
  // Without the completion the points alone are stored, as measured.
  add_sweeps(profile, {sweep_of({8}, 1.1, "c")});
  CHECK(profile.collectives[0].source.provenance == Provenance::measured);
  CHECK(profile.collectives[0].knots.size() == 4);
}

TEST_CASE("from seven sizes on the sweep itself is the curve") {
  const CollectiveSweep sweep = sweep_of({8, 64, 512, 4096, 32768, 1e6, 1e7}, 1.5, "seven");
  CHECK(completed(sweep) == fit_collective(sweep));
}

TEST_CASE("what cannot be completed is refused") {
  CollectiveSweep gather = sweep_of({1024}, 1, "x"), other = gather, ranks = gather, elsewhere = gather;
  gather.kind = CollectiveKind::all_gather;
  other.communicator = "mpi";
  ranks.nodes = 4;
  elsewhere.machine = "elsewhere";
  CHECK_THROWS_WITH(completed(gather), ContainsSubstring("1 size of all-gather by nccl"));
  CHECK_THROWS_WITH(completed(other), ContainsSubstring("all-reduce by mpi"));
  CHECK_THROWS_WITH(completed(ranks), ContainsSubstring("4 x 8 ranks, not on 2 x 8"));
  CHECK_THROWS_AS(completed(elsewhere), InputError);
}
