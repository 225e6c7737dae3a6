#include "topologies/price/prices.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/price_list.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PriceQuestion asked(const std::string& date, PriceKind kind = PriceKind::on_demand, const std::string& region = "") {
  PriceQuestion question{kind, std::nullopt, region, {}};
  if (!date.empty()) question.date = parse_date_span(date);
  return question;
}

SystemPrice price_of(const std::string& name, const PriceQuestion& question = {}, int accelerators = 0) {
  INFO(name);
  const auto price = system_price(build_cluster(name, accelerators), question);
  REQUIRE(price);
  CHECK_FALSE(price->source.source.empty());
  return *price;
}

double per_hour(const std::string& name, const PriceQuestion& question = {}, int accelerators = 0) {
  return price_of(name, question, accelerators).value.value * 3600;
}

const PriceQuestion kPreemptible{PriceKind::preemptible, std::nullopt, "", {}};

bool priced(const std::string& name, const PriceQuestion& question = {}) {
  return system_price(build_cluster(name), question).has_value();
}

}  // namespace

TEST_CASE("eight V100 on Google Cloud are a VM and eight GPUs") {
  CHECK(per_hour("gce-v100") == Approx(3.04 + 8 * 2.48));
  CHECK(per_hour("gce-v100") == Approx(22.88));
  CHECK(per_hour("gce-v100", asked("2018-12")) == Approx(22.88));
  CHECK(per_hour("gce-v100", asked("2020-06", PriceKind::preemptible)) == Approx(0.64 + 8 * 0.74));
  CHECK(per_hour("gce-v100", kPreemptible) == Approx(0.83568 + 8 * 1.0885));  // of 2026
  CHECK(per_hour("gce-v100", {}, 4) == Approx(3.04 + 4 * 2.48));
}

TEST_CASE("other GPUs on Google Cloud are a VM and GPUs too") {
  CHECK(per_hour("n1-standard-8-v100") == Approx(0.38 + 2.48));
  CHECK(per_hour("gce-p100") == Approx(1.52 + 4 * 1.46));
  CHECK(per_hour("gce-p100", asked("2020-06", PriceKind::preemptible)) == Approx(0.32 + 4 * 0.43));
  CHECK(per_hour("gce-p100", kPreemptible) == Approx(0.41784 + 4 * 0.7034));
  CHECK(per_hour("gce-k80", asked("2020-06")) == Approx(1.52 + 8 * 0.45));
  CHECK(per_hour("gce-k80", asked("2020-06", PriceKind::preemptible, "us-central1")) == Approx(0.32 + 8 * 0.135));
  CHECK(per_hour("gce-k80", kPreemptible) == Approx(0.41784 + 8 * 0.038));  // each at its newest
  CHECK(per_hour("a2-highgpu-8g", asked("2022-06")) == Approx(8 * (2.939 + 0.731)));
  CHECK(per_hour("a2-highgpu-8g") == Approx(23.47126 + 5.91582).epsilon(1e-5));
  CHECK(per_hour("a2-highgpu-8g", kPreemptible) == Approx(11.4728 + 2.958));
}

TEST_CASE("slices of a TPU v2 pod cost 0.75 USD a core-hour") {
  for (const auto& [chips, price] : {std::pair(16, 24), {64, 96}, {128, 192}, {256, 384}}) {
    CHECK(per_hour("tpu-v2-pod", {}, chips) == Approx(price));
    CHECK(per_hour("tpu-v2-pod", asked("2018-12"), chips) == Approx(price));
  }
}

TEST_CASE("slices of a TPU v3 pod cost 1 USD a core-hour and 0.30 preemptible") {
  for (int chips = 16; chips <= 1024; chips *= 2) {
    CHECK(per_hour("torus32x32", {}, chips) == Approx(2 * chips));
    CHECK(per_hour("torus32x32", asked("2020-06", PriceKind::preemptible), chips) == Approx(0.6 * chips));
    CHECK(per_hour("torus32x32", kPreemptible, chips) == Approx(0.66 * chips));
  }
  CHECK(per_hour("torus32x32", asked("2020-06", PriceKind::on_demand, "us-east1"), 16) == Approx(32));
  CHECK(per_hour("torus4x4:accelerator=tpu-v3") == Approx(32));
}

TEST_CASE("four TPU chips are rented together, and fewer cost as much") {
  CHECK(per_hour("torus2x2:accelerator=tpu-v2") == Approx(4.595));
  CHECK(per_hour("tpu-v2-pod", {}, 1) == Approx(4.595));
  CHECK(per_hour("tpu-v2-pod", asked("2018-09"), 4) == Approx(4.595));
  CHECK(per_hour("tpu-v2-pod", asked("2018-08-31"), 4) == Approx(6.595));
  CHECK(per_hour("tpu-v2-pod", asked("2018-03", PriceKind::preemptible), 4) == Approx(1.95 + 0.02));
  CHECK(per_hour("torus32x32", {}, 4) == Approx(8.0));
  CHECK(per_hour("torus32x32", asked("2020-06", PriceKind::preemptible), 1) == Approx(2.4));
  CHECK(per_hour("torus32x32", kPreemptible, 1) == Approx(2.04));
  CHECK(per_hour("torus32x32", asked("2019-05", PriceKind::on_demand, "europe-west4"), 4) == Approx(8.8));
  CHECK(price_of("tpu-v2-pod", asked("2018-03", PriceKind::preemptible), 4).source.provenance == Provenance::assumed);
}

TEST_CASE("nodes of MLBench cost 0.5592 USD an hour, 0.154 preemptible") {
  CHECK(per_hour("gke-t4") == Approx(0.5592));
  CHECK(per_hour("gke-t4", kPreemptible) == Approx(0.154));
  CHECK(per_hour("gke-t4:nodes=16") == Approx(16 * 0.5592));
  CHECK(per_hour("gke-k80", kPreemptible) == Approx(0.044 + 0.135));
  CHECK(per_hour("gke-cpu", asked("2020-05")) == Approx(0.2092));
  CHECK(per_hour("gke-cpu", asked("", PriceKind::on_demand, "us-central1")) == Approx(0.19));
}

TEST_CASE("the prices that DAWNBench paid on Google Cloud in 2017 come out within 0.2 %") {
  CHECK(per_hour("n1-standard-8-k80", asked("2017-10")) == Approx(0.967).epsilon(0.002));
  CHECK(per_hour("n1-standard-16", asked("2017-10")) == Approx(0.533).epsilon(0.002));
  CHECK(per_hour("n1-standard-8-k80", asked("2020-10")) == Approx(0.38 + 0.45));
}

TEST_CASE("AWS asks one price an instance") {
  CHECK(per_hour("p3.2xlarge") == Approx(3.06));
  CHECK(per_hour("p3.8xlarge") == Approx(12.24));
  CHECK(per_hour("p3.16xlarge") == Approx(24.48));
  CHECK(per_hour("p3.16xlarge", {}, 1) == Approx(24.48));
  CHECK(per_hour("p3dn") == Approx(31.212));
  CHECK(per_hour("p2.xlarge", asked("2017-10")) == Approx(0.9));
  CHECK(per_hour("ec2-p2:nodes=8") == Approx(8 * 7.2));
  CHECK(per_hour("p2.16xlarge") == Approx(14.4));
  CHECK(per_hour("p4d", asked("2021-06")) == Approx(32.7726));
  CHECK(per_hour("p4d") == Approx(32.7726 * 0.67).epsilon(1e-4));  // AWS took 33 % off in June 2025
  CHECK(per_hour("g3.16xlarge") == Approx(4.56));
}

TEST_CASE("other clouds are priced as DAWNBench's entries say") {
  CHECK(per_hour("alibaba-gn6e:nodes=16") == Approx(329.6));
  CHECK(per_hour("lambda-4x-1080ti") == Approx(1.5));
  CHECK(per_hour("azure-nd40s-v2") == Approx(12.24));
}

TEST_CASE("the current systems have prices of 2026, each of its provider") {
  // Per node, as AWS, Google, Azure and Oracle list them; a chip of a TPU.
  const std::vector<std::pair<std::string, double>> nodes{{"p4de", 27.44705},
                                                          {"p5", 55.04},
                                                          {"g5.12xlarge", 5.672},
                                                          {"a3-megagpu-8g", 9.46006 + 82.75421},
                                                          {"a3-ultragpu-8g", 12.266 + 74.49392},
                                                          {"azure-nd-h100-v5", 98.32},
                                                          {"azure-nd96amsr-a100-v4", 8 * 4.10},
                                                          {"oci-bm.gpu4.8", 24.4},
                                                          {"oci-bm.gpu.h100.8", 80}};
  for (const auto& [machine, price] : nodes) {
    CHECK(per_hour(machine) == Approx(price));
    CHECK(per_hour(machine + ":nodes=3") == Approx(3 * price));
    CHECK(price_of(machine).source.provenance == Provenance::published);
    CHECK_THAT(price_of(machine).source.date, ContainsSubstring("onward"));
    CHECK(per_hour(machine, asked("2026-10")) == Approx(price));
  }
  for (const auto& [chip, price] :
       {std::pair("tpu-v4", 3.22), {"tpu-v5e", 1.20}, {"tpu-v5p", 4.20}, {"tpu-trillium", 2.70}}) {
    CHECK(per_hour(std::string("torus4x4:accelerator=") + chip) == Approx(16 * price));
    CHECK(priced(std::string("torus4x4:accelerator=") + chip, kPreemptible));
  }
  CHECK(per_hour("tpu-v5e-pod", {}, 1) == Approx(1.20));
  CHECK(per_hour("tpu-v4-pod", {}, 1) == Approx(4 * 3.22));  // v4-8 is the smallest slice
}

TEST_CASE("what no cloud rents is priced as the nearest that one does, and says so") {
  for (const auto& [machine, price] : {std::pair("dgx-a100-80gb", 32.80),
                                       {"dgx-h100", 55.04},
                                       {"hgx-h200", 63.296},
                                       {"dgx-b200", 113.9328},
                                       {"mi300x-8", 48.0},
                                       {"gb200-nvl72", 18 * 64.0}}) {
    CHECK(per_hour(machine) == Approx(price));
    CHECK(price_of(machine).source.provenance == Provenance::assumed);
  }
}

TEST_CASE("systems without a public price are named, and are those that have no bill") {
  const auto names = unpriced_machines();
  for (const auto& name : names) CHECK_FALSE(priced(name));
  for (const std::string name : {"dgx2", "abci", "hgx-h100-4"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  for (const std::string name : {"p5", "dgx-h100", "tpu-v4-pod"})
    CHECK(std::find(names.begin(), names.end(), name) == names.end());
}

TEST_CASE("an answer says what was asked where and when, and what for") {
  const SystemPrice price = price_of("gce-v100");
  CHECK(price.what.text == "22.88 USD/h on-demand, us-central1: 1 x gcp-n1-standard-64 at 3.04 + 8 x gcp-v100 at 2.48");
  CHECK(price.source.provenance == Provenance::published);
  CHECK(price.source.date == "2026-05 onward");
  CHECK(price_of("gce-v100", asked("2018-12")).source.date ==
        "gcp-n1-standard-64: 2018-01 to 2020-12; gcp-v100: 2018-01 to 2022-12");
  CHECK(price_of("torus32x32", asked("2020-01")).source.date == "2019-01 to 2022-12");
  CHECK(price_of("p4d", asked("2021-06")).source.provenance == Provenance::assumed);
}

TEST_CASE("machines that no cloud rents have no price, or an equivalent that is marked assumed") {
  CHECK_FALSE(priced("dgx2"));
  CHECK_FALSE(priced("hgx-h100-4"));
  CHECK_FALSE(priced("oci-bm.gpu4.8", kPreemptible));
  CHECK_FALSE(priced("gce-v100:accelerator=v100-sxm2-32gb"));
  CHECK_FALSE(priced("dgx2", asked("2018-12")));
  const SystemPrice price = price_of("dgx-a100");
  CHECK(price.source.provenance == Provenance::assumed);
  CHECK_THAT(price.source.source, ContainsSubstring("p4d.24xlarge"));
}

TEST_CASE("a date without a price is refused with the nearest that have one") {
  const auto refused = [](const std::string& name, const PriceQuestion& question) {
    CHECK_THROWS_AS(system_price(build_cluster(name), question), InputError);
    try {
      system_price(build_cluster(name), question);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK_THAT(refused("gce-v100", asked("2016-05")),
             ContainsSubstring("no on-demand price of gce-v100:nodes=1 is on record for 2016-05") &&
                 ContainsSubstring("the nearest date with one is 2018-01"));
  CHECK_THAT(refused("gce-v100", asked("2022-05-17")),
             ContainsSubstring("for 2022-05-17; the nearest dates with one are 2020-12 and 2026-05"));
  CHECK_THAT(refused("n1-standard-8-k80", asked("2017-12")),
             ContainsSubstring("the nearest dates with one are 2017-10 and 2020-01"));
  CHECK_THAT(refused("tpu-v2-pod", asked("2018-11")), ContainsSubstring("2018-12"));
  CHECK_THAT(refused("gce-v100", asked("", PriceKind::on_demand, "europe-west4")),
             ContainsSubstring("in the region europe-west4; known are us-central1"));
}

TEST_CASE("every price has a source, a span of time and at least one figure") {
  CHECK(price_entries().size() >= 34);
  for (const auto& entry : price_entries()) {
    INFO(entry.resource << " " << entry.source.date);
    CHECK((entry.on_demand || entry.preemptible));
    CHECK_FALSE(entry.regions.empty());
    CHECK_FALSE(entry.source.source.empty());
    if (entry.until) CHECK(entry.from <= *entry.until);
    if (entry.on_demand && entry.preemptible) CHECK(*entry.preemptible < *entry.on_demand);
    const bool recalled = entry.source.source.find("recalled") != std::string::npos;
    if (recalled && entry.source.source.find("DAWNBench") == std::string::npos)
      CHECK(entry.source.provenance == Provenance::assumed);
  }
}

TEST_CASE("no resource has two prices of a kind in one region on one day") {
  const auto& all = price_entries();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const auto &a = all[i], &b = all[k];
      if (a.resource != b.resource) continue;
      const bool kinds = (a.on_demand && b.on_demand) || (a.preemptible && b.preemptible);
      const bool regions = std::any_of(a.regions.begin(), a.regions.end(), [&](const std::string& region) {
        return std::find(b.regions.begin(), b.regions.end(), region) != b.regions.end();
      });
      const bool times = (!b.until || a.from <= *b.until) && (!a.until || b.from <= *a.until);
      INFO(a.resource << " " << a.source.date << " and " << b.source.date);
      CHECK_FALSE((kinds && regions && times));
    }
  }
}
