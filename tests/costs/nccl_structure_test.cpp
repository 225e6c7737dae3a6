#include "costs/nccl_structure.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "nccl_systems.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const NcclFilter kOnlyRings{{NcclAlgorithm::ring}, {}};

double quickest(const NcclSystem& system, double bytes, const NcclFilter& filter = {}) {
  return nccl_quickest(system, CollectiveKind::all_reduce, Bytes(bytes), filter)->time.value * 1e6;
}

struct Sweep {
  std::string name;
  NcclSystem system;
  NcclFilter filter;
  std::vector<std::pair<double, double>> points;  // bytes, us
};

// Published nccl-tests all-reduce, fp32, out of place: NVIDIA/deepops docs and workloads, AWS aws-ofi-nccl and
// awsome-distributed-training, GoogleCloudPlatform and Oracle cluster guides, CoreWeave nccl-tests, 2019-2025.
std::vector<Sweep> sweeps() {
  return {
      {"two Oracle BM.GPU4.8",
       nvswitch_boxes(2, GpuGeneration::ampere, 300, 200, NodeNetwork::infiniband),
       {},
       {{8, 36.47},
        {16384, 49.4},
        {262144, 67.95},
        {1048576, 85.58},
        {16777216, 282.7},
        {134217728, 1542},
        {1073741824, 9187.8}}},
      {"two DGX A100, NCCL_ALGO=RING",
       a100_boxes(2),
       kOnlyRings,
       {{8, 38.63},
        {16384, 57.43},
        {262144, 121.5},
        {1048576, 120.1},
        {16777216, 301.9},
        {134217728, 1603.7},
        {1073741824, 11085}}},
      {"one HGX H100",
       h100_box(),
       {},
       {{8, 13.67},
        {16384, 17.93},
        {262144, 20.43},
        {1048576, 27.37},
        {16777216, 123.8},
        {134217728, 586.4},
        {1073741824, 4029.4}}},
      {"one p5.48xlarge",
       h100_box(),
       {},
       {{8, 12.9},
        {16384, 17.46},
        {262144, 20.27},
        {1048576, 28.56},
        {16777216, 124},
        {134217728, 592.8},
        {1073741824, 4253}}},
      {"two p4de.24xlarge",
       a100_efa_boxes(),
       {},
       {{8, 164.3},
        {16384, 193.4},
        {262144, 238.2},
        {1048576, 309.4},
        {16777216, 1191.8},
        {134217728, 3912.9},
        {1073741824, 26217}}},
      {"two p3dn.24xlarge, rings only",
       p3dn_boxes(),
       kOnlyRings,
       {{8, 145.4},
        {16384, 149.4},
        {262144, 243.9},
        {1048576, 709.3},
        {16777216, 4631.7},
        {134217728, 33403},
        {1073741824, 2.2818e+05}}},
      {"two a3-megagpu-8g",
       nvswitch_boxes(2, GpuGeneration::hopper, 450, 200, NodeNetwork::tcpxo),
       {},
       {{8, 135.8},
        {16384, 138.6},
        {262144, 167.1},
        {1048576, 203.2},
        {16777216, 977.6},
        {134217728, 1652.2},
        {1073741824, 6759}}},
      {"two Oracle BM.GPU.H100.8", h100_roce_boxes(2), {}, {{1073741824, 4478.8}}},
      {"eight RTX 4090, no peer access",
       pcie_box(),
       {},
       {{8, 38.83}, {16384, 43.1}, {262144, 124.8}, {1048576, 222.8}, {16777216, 1972.8}, {134217728, 16253}}},
      {"one rack of GB200 NVL72", gb200_rack(), {}, {{1073741824, 3108.8}}},
  };
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace

// The study that fitted the constants states these for 8 B, 1 MiB, 16 MiB, 128 MiB and 1 GiB.
TEST_CASE("fitted times are the study's check values to half a percent") {
  const std::vector<double> sizes{8, 1 << 20, 1 << 24, 1 << 27, 1 << 30};
  const auto check = [&](const NcclSystem& system, const NcclFilter& filter, const std::vector<double>& times) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      CHECK(quickest(system, sizes[i], filter) == Approx(times[i]).epsilon(0.005));
  };
  check(h100_box(), {}, {16.9, 30.0, 122, 590, 4044});
  check(a100_efa_boxes(), {}, {147, 242, 1171, 4510, 26879});
  check(a100_boxes(2), kOnlyRings, {45.8, 109, 280, 1553, 11127});
  CHECK(quickest(h100_roce_boxes(2), 1 << 30) == Approx(4482).epsilon(0.005));
}

// 0.68 x 450 / (1 + 1/8) x 2 x 7/8 = 476 GB/s of bus bandwidth.
TEST_CASE("NVLS on eight H100 approaches a bus bandwidth of 476 GB/s") {
  const double bytes = 1e12;
  const Seconds time =
      nccl_time(h100_box(), CollectiveKind::all_reduce, {NcclAlgorithm::nvls, NcclProtocol::simple}, Bytes(bytes));
  CHECK(bytes / time.value * 1.75 / 1e9 == Approx(476).epsilon(0.001));
}

TEST_CASE("fitted times grow with the payload and are nothing on one rank") {
  for (const Sweep& sweep : sweeps()) {
    double last = 0;
    for (double bytes = 8; bytes <= 1 << 30; bytes *= 2) {
      const double now = quickest(sweep.system, bytes, sweep.filter);
      CHECK(now > last);
      last = now;
    }
  }
  NcclSystem alone = h100_box();
  alone.ranks_per_node = 1;
  CHECK(nccl_time(alone, CollectiveKind::all_reduce, {}, mebibytes(100)) == Seconds(0));
  CHECK_FALSE(nccl_quickest(alone, CollectiveKind::all_reduce, mebibytes(100)));
}

TEST_CASE("fitted times keep within the study's error of published sweeps") {
  std::vector<double> all, large;
  for (const Sweep& sweep : sweeps()) {
    for (const auto& [bytes, time] : sweep.points) {
      const double error = std::abs(std::log(quickest(sweep.system, bytes, sweep.filter) / time));
      all.push_back(error);
      if (bytes >= 64 << 20) large.push_back(error);
    }
  }
  CHECK(all.size() == 57);
  CHECK(quantile(all, 0.5) < 0.08);
  CHECK(quantile(all, 0.9) < 0.27);
  CHECK(quantile(large, 0.5) < 0.06);
  CHECK(quantile(large, 0.9) < 0.2);
}

TEST_CASE("a variant that the system does not have is refused") {
  CHECK_THROWS_AS(
      nccl_time(a100_boxes(1), CollectiveKind::all_reduce, {NcclAlgorithm::nvls, NcclProtocol::simple}, Bytes(8)),
      Infeasible);
  CHECK_THROWS_AS(
      nccl_time(pcie_box(), CollectiveKind::all_reduce, {NcclAlgorithm::ring, NcclProtocol::ll128}, Bytes(8)),
      Infeasible);
  CHECK_THROWS_AS(nccl_time(h100_box(), CollectiveKind::all_reduce, {NcclAlgorithm::tree, NcclProtocol::ll}, Bytes(8)),
                  Infeasible);
}

TEST_CASE("reduce-scatter and all-gather are one pass of the ring, near what traces of A100 show") {
  // Least times of real steps: HolisticTraceAnalysis@f4d0062c, negative_queue_length_values_check of its tests' data
  // (groups of one node of 8), aliyun/aicb@23eec3c4, A100_example.csv (groups of 4). Nothing of them is in
  // the fit.
  struct Seen {
    CollectiveKind kind;
    int ranks;
    double bytes, us;
  };
  for (const Seen& seen :
       {Seen{CollectiveKind::reduce_scatter, 8, 100663296, 471}, Seen{CollectiveKind::all_gather, 8, 100663296, 458},
        Seen{CollectiveKind::reduce_scatter, 8, 16777216, 117},
        Seen{CollectiveKind::reduce_scatter, 4, 35634282496, 128098.3},
        Seen{CollectiveKind::all_gather, 4, 17817141248, 63001.6}}) {
    CAPTURE(name(seen.kind), seen.bytes);
    NcclSystem box = a100_boxes(1);
    box.ranks_per_node = seen.ranks;
    const double us = nccl_quickest(box, seen.kind, Bytes(seen.bytes))->time.value * 1e6;
    CHECK(us == Approx(seen.us).epsilon(0.2));
  }
}

TEST_CASE("a reduce-scatter and an all-gather take what the ring's all-reduce takes, but for one start") {
  for (const NcclSystem& system : {a100_boxes(1), a100_boxes(4), h100_box(), pcie_box()}) {
    const auto time = [&](CollectiveKind kind, double bytes) {
      return nccl_time(system, kind, {NcclAlgorithm::ring, NcclProtocol::simple}, Bytes(bytes)).value;
    };
    const double whole = time(CollectiveKind::all_reduce, 1e9);
    const double parts = time(CollectiveKind::reduce_scatter, 1e9) + time(CollectiveKind::all_gather, 1e9);
    CHECK(parts == Approx(whole).epsilon(0.02));
    CHECK(nccl_quickest(system, CollectiveKind::all_gather, Bytes(1e6))->time.value <
          time(CollectiveKind::all_reduce, 1e6));
  }
}

TEST_CASE("kinds without a structure have no variant") {
  CHECK_FALSE(nccl_quickest(a100_boxes(1), CollectiveKind::all_to_all, mebibytes(1)));
  CHECK_THROWS_AS(
      nccl_time(h100_box(), CollectiveKind::all_gather, {NcclAlgorithm::nvls, NcclProtocol::simple}, Bytes(8)),
      Infeasible);
}
