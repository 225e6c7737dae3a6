#include "topologies/import/host_machine.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

ProbeSample probe(const std::string& name, double bytes, double flop, double seconds) {
  ProbeSample sample;
  sample.name = parse_probe_name(name);
  sample.bytes = Bytes(bytes);
  sample.flop = Flop(flop);
  sample.time.median = Seconds(seconds);
  sample.source = {Provenance::measured, "here", "2026-11-22"};
  return sample;
}

// Products at 1 and 2 TFLOP/s; copies at 900 GB/s in a cache, and past it at 100 and 120 GB/s.
Profile measured() {
  Profile profile;
  profile.accelerator = "cpu-of-mine";
  profile.probes = {probe("gemm fp32 1000 1000 1000", 0, 2e9, 2e-3),
                    probe("gemm fp32 2000 2000 2000", 0, 16e9, 8e-3),
                    probe("gemm bf16 2000 2000 2000", 0, 16e9, 1e-3),
                    probe("copy fp32 450", 900, 0, 1e-9),
                    probe("copy fp32 5000000", 1e7, 0, 1e-4),
                    probe("copy fp32 5000000", 1e7, 0, 1e7 / 120e9),
                    probe("launch graph", 0, 0, 1e-6)};
  return profile;
}

}  // namespace

TEST_CASE("a processor's ceilings are its best fp32 product and the best of its largest copies") {
  const ProcessorCeilings ceilings = measured_ceilings(measured());
  REQUIRE(ceilings.fp32);
  CHECK(ceilings.fp32->value == Approx(2e12));
  REQUIRE(ceilings.memory);
  CHECK(ceilings.memory->value == Approx(120e9));
  CHECK(ceilings.source == "here");
  CHECK(ceilings.date == "2026-11-22");
}

TEST_CASE("a law that computes faster than any product raises the ceiling, and without products there is none") {
  Profile profile = measured();
  profile.laws.emplace_back();
  profile.laws.back().precision = Precision::fp32;
  profile.laws.back().constants.compute = FlopPerSecond(3e12);
  CHECK(measured_ceilings(profile).fp32->value == Approx(3e12));
  profile.probes.clear();
  CHECK_FALSE(measured_ceilings(profile).fp32);
  CHECK_FALSE(measured_ceilings(profile).memory);
}

TEST_CASE("a processor is named as its profile and has its ceilings") {
  const HostMachineHints hints = measured_hints(measured());
  CHECK(hints.accelerators == HostMachineHints::Accelerators::processor);
  CHECK(hints.accelerator == "cpu-of-mine");
  CHECK(hints.ceilings.fp32);
}

TEST_CASE("GPUs are named as the profile's only where the catalogue has that name") {
  Profile profile = measured();
  profile.environment["gpu"] = "NVIDIA A100-SXM4-40GB";
  CHECK(measured_hints(profile).accelerators == HostMachineHints::Accelerators::gpus);
  CHECK(measured_hints(profile).accelerator.empty());
  profile.accelerator = "a100-sxm4-40gb";
  CHECK(measured_hints(profile).accelerator == "a100-sxm4-40gb");
  CHECK_FALSE(measured_hints(profile).ceilings.fp32);
}
