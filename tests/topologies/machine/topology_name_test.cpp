#include "topologies/machine/topology_name.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool same_link(const Link& a, const Link& b) {
  return a.bandwidth == b.bandwidth && a.latency == b.latency && a.kind == b.kind;
}

void check_equal(const Cluster& a, const Cluster& b) {
  INFO(a.name);
  CHECK(a.name == b.name);
  CHECK(a.machine == b.machine);
  CHECK(a.rank_vertex == b.rank_vertex);
  CHECK(a.accelerator.name == b.accelerator.name);
  CHECK(a.nodes == b.nodes);
  CHECK(a.notes == b.notes);
  CHECK(a.bill.size() == b.bill.size());
  REQUIRE(a.links() == b.links());
  for (LinkIndex i = 0; i < a.links(); ++i) {
    if (same_link(a.link(i), b.link(i)) && link_source(a.graph, i) == link_source(b.graph, i) &&
        link_target(a.graph, i) == link_target(b.graph, i))
      continue;
    FAIL("link " << i << " differs");
  }
}

}  // namespace

TEST_CASE("the name of a cluster leads back to it") {
  for (const auto& entry : topology_entries()) {
    const Cluster c = build_cluster(entry.name);
    CHECK(c.ranks() == entry.accelerators);
    CHECK(c.accelerator.name == entry.accelerator);
    check_equal(c, build_cluster(c.name));
  }
  for (const auto& [name, n] :
       {std::pair("torus32x32", 16), std::pair("torus128x32", 1024), std::pair("torus128x32:wrap=none", 1024),
        std::pair("torus6x5:accelerator=tpu-v2,wrap=x", 10), std::pair("mesh8x8:link_bandwidth=50 GB/s", 0),
        std::pair("torus128x32:accelerator=tpu-v2", 2048), std::pair("tpu-v4-pod", 512), std::pair("tpu-v3-pod", 64),
        std::pair("torus32x32:slice=8x16", 16), std::pair("dgx1-v100:nodes=12", 0), std::pair("dgx1-v100", 3),
        std::pair("dgx2:nodes=3,network_bandwidth=200 Gbit/s:oversubscription=2", 0),
        std::pair("gce-v100:accelerator=v100-sxm2-32gb", 16), std::pair("dgx-1", 8)}) {
    const Cluster c = build_cluster(name, n);
    check_equal(c, build_cluster(c.name));
  }
}

TEST_CASE("names are canonical") {
  CHECK(build_cluster("torus16x16").name == "torus16x16:accelerator=tpu-v3");
  CHECK(build_cluster("tpu-v2-pod").name == "torus16x16:accelerator=tpu-v2");
  CHECK(build_cluster("torus16x16:accelerator=tpu-v2").machine == "tpu-v2-pod");
  CHECK(build_cluster("torus16x16").machine.empty());
  CHECK(build_cluster("torus16x16:accelerator=tpu-v3").machine.empty());
  CHECK(build_cluster("torus08x4").name == "torus8x4:accelerator=tpu-v3");
  CHECK(build_cluster("dgx1-v100", 16).name == "dgx1-v100:nodes=2");
  CHECK(build_cluster("p2.8xlarge").name == "ec2-p2:nodes=1");
  CHECK(build_cluster("torus32x32", 16).name == "torus32x32:accelerator=tpu-v3:slice=4x4");
  CHECK(build_cluster("torus4x4 : wrap=y , accelerator = tpu-v2").name == "torus4x4:accelerator=tpu-v2:wrap=y");
}

TEST_CASE("bad names are refused with what would be right") {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "the topology has no name"},
      {":nodes=2", "the topology has no name"},
      {"torus16x16:", "an option key=value must follow the colon"},
      {"torsu16x16", "did you mean \"torus16x16\""},
      {"dgx1-v10", "did you mean \"dgx1-v100\""},
      {"dgxh10", "did you mean \"dgx-h100\""},
      {"nonsense-machine-that-nobody-has", "unknown topology"},
      {"torus16", "write torusXxY or XxYxZ, as in torus16x16"},
      {"torus4x4x4x4", "is no grid of two or three dimensions"},
      {"torus4x4x4:slice=2x2", "a slice of 2x2 has 2 dimensions, and 4x4x4 has 3"},
      {"torus4x4x4:wrap=zyx", "unknown wrap \"zyx\""},
      {"mesh4", "write meshXxY or XxYxZ"},
      {"torus0x4", "topology \"torus0x4\""},
      {"torus-4x4", "topology \"torus-4x4\""},
      {"torusaxb", "topology \"torusaxb\""},
      {"torus1000000x1", "at most 100 000 are allowed"},
      {"torus100000x100000", "at most 1 000 000 are allowed"},
      {"torus99999999999x1", "topology \"torus99999999999x1\""},
      {"torus16x16:acelerator=tpu-v3", "did you mean \"accelerator\""},
      {"torus16x16:accelerator=tpu-v33", "did you mean \"tpu-v3\""},
      {"torus16x16:accelerator", "must read key=value"},
      {"torus16x16:accelerator=", "must read key=value"},
      {"torus16x16:nodes=4", "option \"nodes\" is for machines with nodes"},
      {"dgx2:wrap=x", "option \"wrap\" is for grids"},
      {"torus16x16:wrap=xyz", "option \"wrap\": unknown wrap \"xyz\""},
      {"torus16x16:slice=4", "\"4\" is no size; write XxY"},
      {"torus16x16:link_bandwidth=50", "option \"link_bandwidth\""},
      {"torus16x16:link_bandwidth=-5 GB/s", "must be from 1 B/s to 1000 PB/s, not -5GB/s"},
      {"torus16x16:link_latency=-1us", "must be from 0 s to 1 h, not -1us"},
      {"torus16x16:accelerator=tpu-v2:accelerator=tpu-v3", "stands twice"},
      {"torus4x4:accelerator=h100-sxm5", "has no torus links of its own; give link_bandwidth= and link_latency="},
      {"dgx1-v100:nodes=0", "option \"nodes\""},
      {"dgx1-v100:nodes=two", "option \"nodes\""},
      {"dgx1-v100:nodes=1000000", "at most 100000"},
      {"dgx1-v100:accelerator=tpu-v3", "accelerator tpu-v3 is a tpu, but the machine holds a gpu"},
      {"dgx1-v100:oversubscription=0.5", "must be from 1 to 1000000, not 0.5"},
      {"missing/file.yaml", "missing/file.yaml"},
  };
  for (const auto& [name, phrase] : bad) {
    INFO(name);
    CHECK_THROWS_AS(build_cluster(name), InputError);
    CHECK_THROWS_WITH(build_cluster(name), ContainsSubstring(phrase));
  }
  CHECK_THROWS_WITH(build_cluster("torus4x4", -1), ContainsSubstring("-1 accelerators make no sense"));
  CHECK_THROWS_AS(build_cluster("torus16x16:slice=32x8"), Infeasible);
  CHECK_THROWS_WITH(build_cluster("torus16x16:slice=32x8"), ContainsSubstring("does not fit into torus16x16"));
}
