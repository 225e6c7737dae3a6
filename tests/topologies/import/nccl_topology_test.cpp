#include "topologies/import/imports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/import/pci_device.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kDgx1 = MLSIM_SOURCE_DIR "/tests/topologies/import/dgx1-v100.xml";
const std::string kDgxA100 = MLSIM_SOURCE_DIR "/examples/nccl-topology/dgx-a100.xml";
const std::string kPcieServer = MLSIM_SOURCE_DIR "/tests/topologies/import/pcie-server.xml";

const std::string kSingle = R"(<system version="1">
  <cpu numaid="0" affinity="00000000,0000000f" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:00:04.0" class="0x030200" link_speed="" link_width="0">
      <gpu dev="0" sm="75" rank="0" gdr="0"/>
    </pci>
  </cpu>
</system>
)";

/// XML -> text -> file -> cluster, as a user would.
struct Imported {
  explicit Imported(const std::string& path, const NcclTopologyHints& hints = {})
      : file(folder.file("imported.yaml", nccl_machine_text(path, hints))) {}
  Cluster cluster(const std::string& options = "") const { return build_cluster(file + options); }
  ScratchFolder folder;
  std::string file;
};

/// Every directed link as text, so that two clusters can be compared.
std::vector<std::string> links_of(const Cluster& c) {
  std::vector<std::string> links;
  for (std::size_t v = 0; v < boost::num_vertices(c.graph); ++v) {
    const LinkRange range = links_from(c.graph, static_cast<std::uint32_t>(v));
    for (LinkIndex i = range.first; i < range.last; ++i) {
      const Link& link = c.link(i);
      links.push_back(fmt::format("{}: kind {} {:.3g} B/s {:.3g} s", v, static_cast<int>(link.kind),
                                  link.bandwidth.value, link.latency.value));
    }
  }
  std::sort(links.begin(), links.end());
  return links;
}

MachineSpec of_text(const std::string& text, const NcclTopologyHints& hints = {}) {
  const ScratchFolder folder;
  return nccl_topology(folder.file("topo.xml", text), hints);
}

std::string xml_complaint(const std::string& text) {
  try {
    of_text(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no complaint";
}

std::string all_replaced(std::string text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

bool notes_say(const MachineSpec& machine, const std::string& what) {
  return std::any_of(machine.notes.begin(), machine.notes.end(),
                     [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("the dump of a DGX-1 is the catalogue's DGX-1, link for link") {
  const Imported imported(kDgx1);
  for (const std::string options : {"", ":nodes=2"}) {
    const Cluster cluster = imported.cluster(options), known = build_cluster("dgx1-v100" + options);
    CHECK(cluster.accelerator.name == "v100-sxm2-32gb");
    CHECK(cluster.interconnect == Interconnect::nvlink_mesh);
    CHECK(cluster.ranks() == known.ranks());
    CHECK(cluster.links() == known.links());
    CHECK(cluster.node_network.value == Approx(known.node_network.value));
    CHECK(links_of(cluster) == links_of(known));
    CHECK(cluster.host->threads.value == 80);
  }
}

TEST_CASE("the dump of a DGX A100 is the catalogue's, without the NICs of its storage") {
  const Imported imported(kDgxA100);
  for (const std::string options : {"", ":nodes=4"}) {
    const Cluster cluster = imported.cluster(options), known = build_cluster("dgx-a100" + options);
    CHECK(cluster.accelerator.name == "a100-sxm4-40gb");
    CHECK(cluster.interconnect == Interconnect::nvswitch);
    CHECK(links_of(cluster) == links_of(known));
    CHECK(cluster.host->threads.value == 256);
  }
  CHECK(notes_say(nccl_topology(kDgxA100), "left out: mlx5_4, mlx5_5"));
}

TEST_CASE("the machine of the example is what its topology file says") {
  const std::string text = nccl_machine_text(kDgxA100, {"machine", "a100-sxm4-40gb"});
  CHECK(all_replaced(text, kDgxA100, "dgx-a100.xml") ==
        text_of(MLSIM_SOURCE_DIR "/examples/nccl-topology/machine.yaml"));
}

TEST_CASE("GPUs on root ports of their own hang at the host, as do NICs of the kernel") {
  const MachineSpec machine = nccl_topology(kPcieServer);
  CHECK(machine.accelerator.name == "rtx-4090");
  REQUIRE(machine.node);
  CHECK(machine.node->accelerators == 4);
  CHECK(machine.node->interconnect == Interconnect::pcie);
  CHECK(machine.node->per_pcie_switch == 0);
  CHECK(machine.node->pcie.bandwidth.value.value == Approx(31.5e9).epsilon(0.001));
  CHECK(machine.node->nics == 1);
  CHECK(machine.node->nics_at_host);
  CHECK(machine.node->nic.bandwidth.value.value == Approx(1.25e9));
  CHECK(machine.node->nic.latency.value.value == Approx(12.5e-6));
  CHECK(Imported(kPcieServer).cluster(":nodes=2").ranks() == 8);
}

TEST_CASE("a single GPU of unknown board on an unknown link is assumed from its capability") {
  const MachineSpec machine = of_text(kSingle);
  CHECK(machine.accelerator.name == "t4");
  CHECK(machine.node->accelerators == 1);
  CHECK(machine.node->nics == 0);
  CHECK(machine.node->host->threads.value == 4);
  CHECK(machine.node->pcie.bandwidth.source.provenance == Provenance::assumed);
  CHECK(notes_say(machine, "capability 75"));
  CHECK(notes_say(machine, "PCI Express 3.0 x16"));
  const ScratchFolder folder;
  CHECK(Imported(folder.file("one.xml", kSingle)).cluster().ranks() == 1);
}

TEST_CASE("the accelerator and the name can be told") {
  CHECK(of_text(kSingle, {"lab", "v100-pcie"}).accelerator.name == "v100-pcie");
  CHECK(of_text(kSingle, {"lab", ""}).name == "lab");
  CHECK_THROWS_WITH(of_text(kSingle, {"lab", "v100-pci"}), ContainsSubstring("v100-pcie"));
}

TEST_CASE("accelerators of a switch are side by side whatever their numbers") {
  const std::string text = all_replaced(
      all_replaced(all_replaced(text_of(kDgx1), "dev=\"1\" sm", "dev=\"x\" sm"), "dev=\"7\" sm", "dev=\"1\" sm"),
      "dev=\"x\" sm", "dev=\"7\" sm");
  const MachineSpec machine = of_text(text);
  // dev 0 and 7 share the first switch, dev 1 and 6 the next: 0 7 1 6 ...; 0 and 7, once 0 and 1, have one link.
  CHECK(machine.node->nvlink_pairs.front().a == 0);
  CHECK(machine.node->nvlink_pairs.front().b == 1);
  CHECK(machine.node->nvlink_pairs.front().links == 1);
  CHECK(machine.node->per_pcie_switch == 2);
}

TEST_CASE("what a topology file has beyond its schema of today is passed over") {
  const std::string more =
      all_replaced(all_replaced(kSingle, "<cpu ", "<rail id=\"1\"/>\n<cpu rail=\"2\" "), "rank=\"0\" gdr=\"0\"/>",
                   "rank=\"0\" mlopart=\"0\"><c2c bw=\"1\"/></gpu><gin/>");
  CHECK(of_text(more).node->accelerators == 1);
}

TEST_CASE("switches that hold different numbers of accelerators are noted") {
  const std::string text = text_of(kDgx1);
  const auto begin = text.find("<pci busid=\"0000:8a:00.0\""), end = text.find("</pci>", begin) + 6;
  const MachineSpec machine = of_text(text.substr(0, begin) + text.substr(end));
  CHECK(machine.node->accelerators == 7);
  CHECK(machine.node->per_pcie_switch == 2);
  CHECK(notes_say(machine, "PCIe switches hold 1 to 2"));
  CHECK(machine.node->nvlink_pairs.size() == 12);  // of 16 the four of GPU 7 are gone
}

TEST_CASE("a topology file that was cut off is refused wherever the cut is") {
  const std::string text = text_of(kDgxA100);
  for (std::size_t cut = 20; cut + 12 < text.size(); cut += 997) {
    INFO(cut);
    CHECK_THAT(xml_complaint(text.substr(0, cut)), ContainsSubstring("cut off") && ContainsSubstring("topo.xml:"));
  }
}

TEST_CASE("a wrong topology file is named with its line") {
  CHECK_THAT(xml_complaint(all_replaced(kSingle, "sm=\"75\"", "sm=\"x\"")),
             ContainsSubstring("topo.xml:4") && ContainsSubstring("sm=\"x\""));
  CHECK_THAT(xml_complaint(all_replaced(kSingle, "dev=\"0\" ", "")), ContainsSubstring("<gpu> has no \"dev\""));
  CHECK_THAT(xml_complaint(all_replaced(kSingle, "<gpu dev=\"0\" sm=\"75\" rank=\"0\" gdr=\"0\"/>", "")),
             ContainsSubstring("lists no <gpu>"));
  CHECK_THAT(xml_complaint(all_replaced(kSingle, "</cpu>", "</gpu>")), ContainsSubstring("topo.xml:6: is no XML"));
  CHECK_THAT(xml_complaint(all_replaced(kSingle, "system", "graphs")), ContainsSubstring("begins with <graphs>"));
  CHECK_THAT(xml_complaint(""), ContainsSubstring("is empty"));
  std::string deep = "<system>\n<cpu>";
  for (int i = 0; i < 100; ++i) deep += "<pci>";
  for (int i = 0; i < 100; ++i) deep += "</pci>";
  CHECK_THAT(xml_complaint(deep + "</cpu></system>"), ContainsSubstring("nested beyond 64 levels"));
  const std::string dgx1 = text_of(kDgx1);
  CHECK_THAT(xml_complaint(all_replaced(dgx1, "dev=\"3\" sm=\"70\"", "dev=\"3\" sm=\"80\"")),
             ContainsSubstring("compute capability 70 and 80"));
  CHECK_THAT(xml_complaint(all_replaced(dgx1, "speed=\"100000\"", "speed=\"fast\"")),
             ContainsSubstring("no number of Mbit/s"));
}

TEST_CASE("every board and capability leads to an accelerator of the catalogue") {
  int known = 0;
  for (int id = 0; id <= 0xffff; ++id) {
    const auto name = accelerator_of_device(fmt::format("{:#06x}", id));
    if (name.empty()) continue;
    ++known;
    CHECK(load_accelerator(name).family == AcceleratorFamily::gpu);
  }
  CHECK(known > 30);
  for (int sm = 10; sm <= 130; ++sm)
    for (const bool nvlink : {false, true})
      CHECK(load_accelerator(accelerator_of_capability(sm, nvlink)).family == AcceleratorFamily::gpu);
  CHECK(accelerator_of_capability(80, true) == "a100-sxm4-40gb");
  CHECK(accelerator_of_capability(80, false) == "a100-pcie-40gb");
}

TEST_CASE("PCI Express carries 8 bits in 10, then 128 in 130") {
  CHECK(pcie_bandwidth(5e9, 16).value == gigabytes_per_second(8));
  CHECK(pcie_bandwidth(8e9, 16).value.value == Approx(15.754e9).epsilon(1e-4));
  CHECK(pcie_bandwidth(32e9, 8).value.value == Approx(31.508e9).epsilon(1e-4));
  CHECK(pcie_bandwidth(64e9, 16).value.value == Approx(121e9));
  CHECK(pcie_transfer_rate("16.0 GT/s PCIe") == 16e9);
  CHECK(pcie_transfer_rate("8 GT/s") == 8e9);
  CHECK_FALSE(pcie_transfer_rate("Unknown speed"));
  CHECK_FALSE(pcie_transfer_rate(""));
}
