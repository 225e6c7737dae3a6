#include "topologies/construction/node_cluster.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

/// Links of a kind that leave a rank: how many neighbours, and their summed rate.
std::pair<int, BytesPerSecond> out_links(const Cluster& c, int rank, LinkKind kind) {
  std::pair<int, BytesPerSecond> sum;
  const LinkRange range = links_from(c.graph, c.rank_vertex[rank]);
  for (LinkIndex i = range.first; i < range.last; ++i) {
    if (c.link(i).kind != kind) continue;
    ++sum.first;
    sum.second += c.link(i).bandwidth;
  }
  return sum;
}

int count_kind(const Cluster& c, VertexKind kind) {
  int count = 0;
  for (std::size_t v = 0; v < boost::num_vertices(c.graph); ++v) count += c.graph[v].kind == kind;
  return count;
}

}  // namespace

TEST_CASE("every V100 of a DGX-1 has six NVLinks over four neighbours") {
  for (const char* name : {"dgx1-v100", "p3.16xlarge", "p3dn", "gce-v100"}) {
    const Cluster c = build_cluster(name);
    for (int rank = 0; rank < 8; ++rank) {
      const auto [neighbours_, rate] = out_links(c, rank, LinkKind::nvlink);
      CHECK(neighbours_ == 4);
      CHECK(rate == gigabytes_per_second(6 * 25));
    }
    CHECK(c.link(*find_link(c.graph, 0, 3)).bandwidth == gigabytes_per_second(50));
    CHECK(c.link(*find_link(c.graph, 0, 1)).bandwidth == gigabytes_per_second(25));
    CHECK_FALSE(find_link(c.graph, 0, 5));
  }
}

TEST_CASE("every P100 of a DGX-1 has three NVLinks in its quad and one across") {
  const Cluster c = build_cluster("dgx1-p100");
  for (int rank = 0; rank < 8; ++rank) {
    CHECK(out_links(c, rank, LinkKind::nvlink) == std::pair(4, gigabytes_per_second(80)));
    const auto partner = static_cast<std::uint32_t>((rank + 4) % 8);
    CHECK(find_link(c.graph, static_cast<std::uint32_t>(rank), partner));
  }
  CHECK(c.injection == gigabytes_per_second(80));
  CHECK(c.interconnect == Interconnect::nvlink_mesh);
}

TEST_CASE("an NVSwitch box gives each accelerator one port of all its NVLinks") {
  for (const auto& [name, ranks, rate] :
       {std::tuple("dgx2", 16, 150.0), std::tuple("dgx2h", 16, 150.0), std::tuple("dgx-a100", 8, 300.0),
        std::tuple("dgx-a100-80gb", 8, 300.0), std::tuple("dgx-h100", 8, 450.0), std::tuple("hgx-h200", 8, 450.0)}) {
    const Cluster c = build_cluster(name);
    CHECK(c.ranks() == ranks);
    CHECK(c.interconnect == Interconnect::nvswitch);
    CHECK(count_kind(c, VertexKind::link_switch) == 1);
    for (int rank = 0; rank < ranks; ++rank)
      CHECK(out_links(c, rank, LinkKind::nvlink) == std::pair(1, gigabytes_per_second(rate)));
  }
}

TEST_CASE("K80 dies sit in pairs behind a board switch below the host") {
  const Cluster c = build_cluster("gce-k80");
  CHECK(c.interconnect == Interconnect::pcie);
  CHECK(count_kind(c, VertexKind::pcie_switch) == 4);
  CHECK(count_kind(c, VertexKind::host) == 1);
  CHECK(c.links() == 2 * (8 + 4));
  CHECK(route(c, 0, 1).links.size() == 2);
  CHECK(route(c, 0, 2).links.size() == 4);
  CHECK(build_cluster("p2.16xlarge").ranks() == 16);
}

TEST_CASE("several nodes have their NICs and one switch, one node has neither") {
  CHECK(count_kind(build_cluster("dgx1-v100"), VertexKind::nic) == 0);
  CHECK(build_cluster("dgx1-v100").node_network.value == 0);
  const Cluster c = build_cluster("dgx1-v100:nodes=3");
  CHECK(c.ranks() == 24);
  CHECK(c.nodes == 3);
  CHECK(c.accelerators_per_node == 8);
  CHECK(count_kind(c, VertexKind::nic) == 12);
  CHECK(count_kind(c, VertexKind::network_switch) == 1);
  CHECK(c.node_network == gigabytes_per_second(50));
  CHECK(build_cluster("dgx-h100:nodes=2").node_network == gigabytes_per_second(400));
  CHECK(build_cluster("gce-v100:nodes=2").node_network == gigabytes_per_second(4));
  CHECK(build_cluster("dgx2:nodes=2,network_bandwidth=40 GB/s").node_network == gigabytes_per_second(40));
}

TEST_CASE("oversubscription thins the uplinks of leaf switches") {
  const Cluster c = build_cluster("dgx1-v100:nodes=8:oversubscription=2:nodes_per_leaf=4");
  CHECK(count_kind(c, VertexKind::network_switch) == 3);
  std::map<double, int> uplinks;
  for (LinkIndex i = 0; i < c.links(); ++i)
    if (c.link(i).kind == LinkKind::network) ++uplinks[c.link(i).bandwidth.value];
  CHECK(uplinks == std::map<double, int>{{4 * 50e9 / 2, 4}});
  CHECK(route(c, 0, 8).links.size() == 6);      // same leaf
  CHECK(route(c, 0, 8 * 7).links.size() == 8);  // up to the spine and down
  const Cluster usual = build_cluster("dgx1-v100:nodes=32:oversubscription=4");
  CHECK(count_kind(usual, VertexKind::network_switch) == 3);
  REQUIRE(usual.notes.size() == 1);
  CHECK_THAT(usual.notes[0], Catch::Matchers::ContainsSubstring("leaf switches of 16 nodes are assumed"));
}

TEST_CASE("ranks are numbered node by node") {
  const Cluster c = build_cluster("dgx-a100:nodes=4");
  for (int rank = 0; rank < c.ranks(); ++rank) {
    const Vertex& v = c.graph[c.rank_vertex[rank]];
    CHECK(v.kind == VertexKind::accelerator);
    CHECK(v.index == rank);
    CHECK(v.node == rank / 8);
  }
}

TEST_CASE("a part of a cube mesh is a well connected one") {
  const auto pairs = [](int n) {
    const Cluster c = build_cluster("dgx1-v100", n);
    int links = 0;
    for (LinkIndex i = 0; i < c.links(); ++i) links += c.link(i).kind == LinkKind::nvlink;
    return std::pair(links, c.injection.value / 25e9);
  };
  CHECK(pairs(1) == std::pair(0, 15.75 / 25));  // PCIe is all it has
  CHECK(pairs(2) == std::pair(2, 2.0));         // 0-3, a double link
  CHECK(pairs(3) == std::pair(6, 4.0));         // 0, 2, 3: all linked
  CHECK(pairs(4) == std::pair(12, 5.0));        // a quad: all linked
}
