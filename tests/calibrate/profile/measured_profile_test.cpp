#include "calibrate/profile/measured_profile.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const MeasuredOn kHere{"cpu-a", "host", "A 1", "2026-01-02", {{"date", "2026-01-02"}}};

MeasureReply reply(const std::string& subject, double seconds, Cache cache = Cache::cold) {
  MeasureReply made;
  made.subject = subject;
  made.threads = 2;
  made.cache = cache;
  made.time = {Seconds(seconds), Seconds(seconds), Seconds(seconds), 10, 1};
  made.bytes = Bytes(1e9);
  made.flop = Flop(4e9);
  return made;
}

CollectiveSweep sweep(Seconds time) {
  CollectiveSweep made;
  made.communicator = "mpi";
  made.ranks_per_node = 2;
  for (const double payload : {1e3, 1e4, 1e5, 1e6})
    made.points.push_back({Bytes(payload), {time, time, time, 10, 0}, {time}});
  made.source = {Provenance::measured, "mlsim calibrate, on host (A 1)", ""};
  return made;
}

}  // namespace

TEST_CASE("replies become samples with their source; what was unavailable does not") {
  MeasureReply missing = reply("kernel matmul fp32 3 3 3", 1);
  missing.unavailable = "no";
  const Profile profile = measured_profile(
      {reply("kernel matmul fp32 2 2 2", 1), missing, reply("probe copy fp32 1000000000", 0.5)}, kHere);
  CHECK(profile.accelerator == "cpu-a");
  CHECK(profile.machine == "host (A 1)");
  REQUIRE(profile.kernels.size() == 1);
  CHECK(to_text(profile.kernels[0].key) == "matmul fp32 2 2 2");
  CHECK(profile.kernels[0].threads == 2);
  CHECK(profile.kernels[0].time.outliers == 1);
  CHECK(profile.kernels[0].source == Source{Provenance::measured, "mlsim calibrate, on host (A 1)", "2026-01-02"});
  REQUIRE(profile.probes.size() == 1);
  CHECK(to_text(profile.probes[0].name) == "copy fp32 1000000000");
  CHECK(profile_from_json(to_json(profile), "text").kernels == profile.kernels);
}

TEST_CASE("a profile keeps the name of a library's implementation") {
  MeasureReply kernel = reply("kernel conv_forward fp32 2 3 8 8 4 3 1", 1), probe = reply("probe copy fp32 8", 1);
  kernel.implementation = "jit:avx2";
  probe.implementation = "ref:any";
  const Profile profile = measured_profile({kernel, probe, reply("kernel matmul fp32 2 2 2", 1)}, kHere);
  const Profile back = profile_from_json(to_json(profile), "text");
  CHECK(back.kernels[0].implementation == "jit:avx2");
  CHECK_FALSE(back.kernels[1].implementation);
  CHECK(back.probes[0].implementation == "ref:any");
}

TEST_CASE("new measurements replace older ones of the same key and leave the others") {
  const Profile older =
      measured_profile({reply("kernel matmul fp32 2 2 2", 1), reply("kernel matmul fp32 2 2 2", 1, Cache::hot),
                        reply("probe copy fp32 1", 1)},
                       kHere);
  const Profile newer = measured_profile({reply("kernel matmul fp32 2 2 2", 3), reply("probe copy fp32 2", 1)}, kHere);
  const Profile merged = merged_profile(older, newer, "profile.json");
  REQUIRE(merged.kernels.size() == 2);
  CHECK(merged.kernels[0].time.median == Seconds(3));
  CHECK(merged.kernels[1].cache == Cache::hot);
  CHECK(merged.kernels[1].time.median == Seconds(1));
  CHECK(merged.probes.size() == 2);
}

TEST_CASE("a profile of another accelerator is not added to") {
  MeasuredOn there = kHere;
  there.accelerator = "cpu-b";
  CHECK_THROWS_WITH(merged_profile(measured_profile({}, kHere), measured_profile({}, there), "profile.json"),
                    Catch::Matchers::ContainsSubstring("profile.json: is a profile of cpu-a"));
}

TEST_CASE("another launch of a collective adds to its launches, and the time is their median") {
  Profile profile = measured_profile({}, kHere);
  add_sweeps(profile, {sweep(milliseconds(1))});
  add_sweeps(profile, {sweep(milliseconds(3))});
  REQUIRE(profile.collectives.size() == 1);
  const CollectivePoint& point = profile.collectives[0].points.front();
  CHECK(point.launches == std::vector{milliseconds(1), milliseconds(3)});
  CHECK(point.time.median.value == Approx(2e-3));
  CHECK(point.time.count == 20);
  CollectiveSweep on_more = sweep(milliseconds(4));
  on_more.nodes = 2;
  add_sweeps(profile, {on_more});
  CHECK(profile.collectives.size() == 2);
  CHECK_FALSE(profile.rank_scalings.empty());
}

TEST_CASE("laws are fitted to cold kernels, bounded by the largest rates seen") {
  const Profile profile = measured_profile(
      {reply("kernel matmul fp32 1000 1000 1000", 1), reply("kernel matmul fp32 1000 1000 1000", 0.1, Cache::hot),
       reply("probe gemm fp32 2000 2000 2000", 0.5), reply("probe copy fp32 1", 0.25), reply("probe copy fp16 1", 0.1)},
      kHere);
  const auto groups = law_groups(profile, 1);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].samples.size() == 1);
  CHECK(groups[0].samples[0].time.median == Seconds(1));
  CHECK(groups[0].samples[0].work.flop == Flop(2e9));
  CHECK(groups[0].ceilings.compute == FlopPerSecond(8e9));
  CHECK(groups[0].ceilings.memory == BytesPerSecond(4e9));
}

TEST_CASE("hot kernels serve where there are no others") {
  const Profile profile = measured_profile({reply("kernel matmul fp32 2 2 2", 1, Cache::hot)}, kHere);
  CHECK(law_groups(profile, 1)[0].samples.size() == 1);
}

TEST_CASE("no law is fitted to what ran in a library's reference implementation") {
  MeasureReply slow = reply("kernel average_pool_forward fp32 8 64 8 8 8 8", 1);
  slow.implementation = "ref:any";
  MeasureReply quick = reply("kernel average_pool_forward fp32 16 64 8 8 8 8", 1);
  quick.implementation = "jit:avx2";
  CHECK(law_groups(measured_profile({slow}, kHere), 1).empty());
  const auto groups = law_groups(measured_profile({slow, quick}, kHere), 1);
  REQUIRE(groups.size() == 1);
  REQUIRE(groups[0].samples.size() == 1);
  CHECK(to_text(groups[0].samples[0].work.key) == "average_pool_forward fp32 16 64 8 8 8 8");
}

// Streams at 1 GB/s, of which the two largest, the ones held back, take `factor` times as long.
Profile streams(double factor) {
  std::vector<MeasureReply> replies;
  for (int i = 0; i < 12; ++i) {
    const int elements = 10000 << i;
    const double seconds = 4e-9 * elements * (i < 10 ? 1 : factor);
    replies.push_back(reply("kernel elementwise fp32 0 " + std::to_string(elements), seconds));
  }
  return measured_profile(replies, kHere);
}

TEST_CASE("a profile gets no law that misses the kernels held back by more than 100 %") {
  Profile even = streams(1), odd = streams(0.1);  // predicted ten times as long as measured: missed by 900 %
  CHECK(fit_laws(even, 1).empty());
  CHECK(even.laws.size() == 1);
  const auto refused = fit_laws(odd, 1);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].ops == std::vector{KernelOp::elementwise});
  CHECK(refused[0].held_back.count == 2);
  CHECK(refused[0].held_back.median == Approx(9).epsilon(0.05));
  CHECK(odd.laws.empty());
}
