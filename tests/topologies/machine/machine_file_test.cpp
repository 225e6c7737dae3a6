#include "topologies/machine/machine_file.hpp"

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/price/prices.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kGrid = R"(name: lab-pod
accelerator:
  name: lab-chip
  family: tpu
  peak: {bf16: 90 TFLOP/s}
  memory: 16 GiB
  memory_bandwidth: 700 GB/s
  kernel_launch: 1 us
  grid_link: {links: 4, bandwidth: 40 GB/s, latency: 1 us}
grid:
  size: [6, 4]
  wrap: x
price:
  - {resource: lab, per: accelerator, on_demand: 1 USD/h, source: own invoice, provenance: measured}
)";

const std::string kNode = R"(name: lab-box
accelerator: h100-pcie
node:
  accelerators: 4
  interconnect: nvlink-mesh
  nvlink: {pairs: [[0, 1, 12], [2, 3, 12]], bandwidth: 25 GB/s, latency: 500 ns}
  pcie: {accelerators_per_switch: 2, bandwidth: 63 GB/s, latency: 150 ns}
  nic: {count: 2, at: pcie-switch, bandwidth: 200 Gbit/s, latency: 400 ns}
)";

struct File {
  explicit File(const std::string& text) : path(folder.file("lab.yaml", text)) {}
  ScratchFolder folder;
  std::string path;
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

MachineSpec read_spec(const std::string& text) { return read_machine(Document::parse(text, "lab.yaml")); }

}  // namespace

TEST_CASE("a person's own grid with a chip of its own is a topology") {
  const File file(kGrid);
  const Cluster c = build_cluster(file.path);
  CHECK(c.ranks() == 24);
  CHECK(c.links() == 2 * (6 * 4 + 6 * 3));
  CHECK(c.accelerator.name == "lab-chip");
  CHECK(c.link(0).bandwidth == gigabytes_per_second(40));
  CHECK(c.name == file.path);
  CHECK(build_cluster(c.name, 12).grid->front().size == 3);
  CHECK(build_cluster(build_cluster(c.name, 12).name).ranks() == 12);
  const auto price = system_price(c, {});
  REQUIRE(price);
  CHECK(price->value.value * 3600 == Approx(24));
  CHECK(price->source.provenance == Provenance::measured);
  CHECK_FALSE(system_price(c, {PriceKind::preemptible, {}, {}}));
}

TEST_CASE("a person's own node takes the options of machines") {
  const File file(kNode);
  const Cluster c = build_cluster(file.path + ":nodes=2,accelerator=h100-sxm5", 8);
  CHECK(c.ranks() == 8);
  CHECK(c.accelerator.name == "h100-sxm5");
  CHECK(c.node_network == gigabytes_per_second(50));
  CHECK(route(c, 0, 1).links.size() == 1);
  CHECK(route(c, 0, 2).links.size() == 4);  // no NVLink leads there: over the host
  CHECK(route(c, 0, 4).links.size() == 6);
}

TEST_CASE("a machine is like another but for what it says") {
  const File lab("name: lab-box\nlike: dgx-h100\nnode:\n  nic: {count: 4, bandwidth: 200 Gbit/s}\n");
  const Cluster own = build_cluster(lab.path + ":nodes=2"), dgx = build_cluster("dgx-h100:nodes=2");
  CHECK(own.accelerator.name == "h100-sxm5");
  CHECK(own.injection == dgx.injection);
  CHECK(own.node_network.value == Approx(100e9));
  CHECK(dgx.node_network.value == Approx(400e9));
  CHECK(own.bill.empty());
  const File unknown("name: lab-box\nlike: dgx-h10O\n"), third("name: lab-box\nlike: p5en\n"),
      grid("name: lab-box\nlike: dgx-h100\ngrid: {size: [4, 4], wrap: xy}\n");
  CHECK_THROWS_WITH(build_cluster(unknown.path),
                    ContainsSubstring("lab.yaml:2: unknown name \"dgx-h10O\"; did you mean \"dgx-h100\""));
  CHECK_THROWS_WITH(build_cluster(third.path), ContainsSubstring("p5en is like p5 itself"));
  CHECK_THROWS_WITH(build_cluster(grid.path), ContainsSubstring("give either \"grid\" or \"node\""));
}

TEST_CASE("figures without a source count as assumed") {
  CHECK(read_spec(kNode).node->nic.bandwidth.source.provenance == Provenance::assumed);
  CHECK_THAT(read_spec(kNode).node->nic.bandwidth.source.source, ContainsSubstring("lab.yaml:8"));
}

TEST_CASE("faults of a machine file are named with file and line") {
  struct Fault {
    std::string text, what, with, phrase;
  };
  const std::vector<Fault> faults{
      {kGrid, "name: lab-pod\n", "", "the key \"name\" is missing"},
      {kGrid, "grid:", "gird:", "lab.yaml:11: unknown key \"gird\"; did you mean \"grid\""},
      {kGrid, "size: [6, 4]", "size: [6]", "lab.yaml:11: must be a list of two or three lengths"},
      {kGrid, "size: [6, 4]", "size: [6, 0]", "lab.yaml:11"},
      {kGrid, "size: [6, 4]", "size: [600000, 1]", "at most 100 000 are allowed"},
      {kGrid, "wrap: x", "wrap: z", "lab.yaml:12: unknown wrap \"z\""},
      {kGrid, "links: 4", "links: 5", "must be 4 (a 2-D torus) or 6"},
      {kGrid, "bf16: 90 TFLOP/s", "bf17: 90 TFLOP/s", "unknown precision \"bf17\"; did you mean \"bf16\""},
      {kGrid, "90 TFLOP/s", "90 GB/s", "lab.yaml:5"},
      {kGrid, "16 GiB", "0 GiB", "lab.yaml:6: must be from 1 kB to 1000000 PB, not 0 GiB"},
      {kGrid, "family: tpu", "family: npu", "unknown family \"npu\"; did you mean \"tpu\""},
      {kGrid, "per: accelerator", "per: acelerator", "did you mean \"accelerator\""},
      {kGrid, "on_demand: 1 USD/h, ", "", "unknown resource of the price list \"lab\""},
      {kNode, "h100-pcie", "h100-pcix", "lab.yaml:2: unknown accelerator \"h100-pcix\"; did you mean \"h100-pcie\""},
      {kNode, "nvlink-mesh", "nvlink", "lab.yaml:5: unknown interconnect \"nvlink\""},
      {kNode, "interconnect: nvlink-mesh", "interconnect: pcie", "has no meaning with interconnect pcie"},
      {kNode, "[2, 3, 12]", "[2, 4, 12]", "names accelerator 4; the node has 0 to 3"},
      {kNode, "[2, 3, 12]", "[2, 2, 12]", "links accelerator 2 with itself"},
      {kNode, "[2, 3, 12]", "[1, 0, 12]", "the pair 1-0 stands twice"},
      {kNode, "[2, 3, 12]", "[2, 3]", "must be [accelerator, accelerator, links]"},
      {kNode, "accelerators_per_switch: 2, ", "", "is pcie-switch, but \"pcie\" has no accelerators_per_switch"},
      {kNode, "at: pcie-switch", "at: pcie", "unknown place of the NICs \"pcie\""},
      {kNode, "accelerators: 4", "accelerators: 5000", "must be at most 1024 in one node"},
      {kNode, "200 Gbit/s", "200 Gigs", "lab.yaml:8"},
      {kNode, "node:", "grid: {size: [2, 2], wrap: none}\nnode:", "give either \"grid\" or \"node\""},
      {kNode, "  nic:", "  oversubscription: 2\n  nic:", "\"oversubscription\" needs \"nodes_per_leaf\""},
  };
  for (const auto& fault : faults) {
    const std::string text = replaced(fault.text, fault.what, fault.with);
    INFO(text);
    CHECK_THROWS_AS(read_spec(text), InputError);
    CHECK_THROWS_WITH(read_spec(text), ContainsSubstring(fault.phrase) && ContainsSubstring("lab.yaml:"));
  }
}

TEST_CASE("a node or its accelerator denies peer access over PCIe") {
  CHECK(build_cluster("pcie-server").through_host.value == BytesPerSecond(0));
  CHECK(build_cluster("workstation").through_host.value == gigabytes_per_second(5));
  const std::string denied = replaced(kNode, "latency: 150 ns}", "latency: 150 ns, through_host: 8 GB/s}");
  const File file(denied);
  CHECK(build_cluster(file.path).through_host.value == gigabytes_per_second(8));
  CHECK_THROWS_WITH(read_spec(replaced(denied, "through_host", "through_hosts")),
                    ContainsSubstring("did you mean \"through_host\""));
}
