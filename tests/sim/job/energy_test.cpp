// Energy and carbon of a job, by hand: Touvron et al., arXiv:2302.13971, table 15, count LLaMA so.
#include "sim/job/energy.hpp"
#include "catch.hpp"
#include "tests/namespace.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("LLaMA 65B's 1 022 362 hours of A100 are 449 MWh and 173 t of CO2") {
  const auto answer = energy_answer({}, build_cluster("dgx-a100-80gb:nodes=256"), hours(1022362.0 / 2048));
  REQUIRE(answer.energy);
  CHECK(answer.energy->power_w == Approx(2048 * 400.0));
  CHECK(*answer.energy->job_j / 3.6e9 == Approx(449).epsilon(0.005));
  CHECK(*answer.energy->carbon_kg / 1000 == Approx(173).epsilon(0.005));
  CHECK(answer.notes.provenance.size() == 3);
}

TEST_CASE("half the load is half the energy, and a job without an end has a power alone") {
  EnergyOptions half;
  half.load.value = 0.5;
  half.pue.value = 1;
  const auto cluster = build_cluster("dgx-h100");
  CHECK(*energy_answer(half, cluster, hours(1)).energy->job_j == Approx(0.5 * 8 * 700 * 3600));
  const auto open = energy_answer({}, cluster, std::nullopt);
  CHECK(open.energy->power_w == Approx(5600));
  CHECK(!open.energy->job_j);
  CHECK(!open.energy->carbon_kg);
}

TEST_CASE("an accelerator of which no power is public has no energy") {
  CHECK(!energy_answer({}, build_cluster("tpu-v5e-pod"), hours(1)).energy);
}

TEST_CASE("every GPU of the catalogue has its rated power, with a source") {
  for (const std::string& name : accelerator_names()) {
    const AcceleratorSpec chip = load_accelerator(name);
    if (chip.family != AcceleratorFamily::gpu) continue;
    INFO(name);
    CHECK(chip.watts.value >= 50);
    CHECK(chip.watts.value <= 1500);
    CHECK(!chip.watts.source.source.empty());
  }
}
