#include "topologies/machine/host_file.hpp"

#include "catch.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string host_complaint(const std::string& text, bool shared) {
  try {
    read_host(Document::parse(text, "host.yaml"), shared);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a host has threads, and memory and storage where they are known") {
  const auto host =
      read_host(Document::parse("threads: {value: 80, provenance: datasheet, source: s}\nstorage: 2 GB/s", "h"), false);
  CHECK(host.threads.value == 80);
  CHECK(host.threads.source.provenance == Provenance::datasheet);
  CHECK_FALSE(host.memory);
  CHECK(host.storage->value.value == 2e9);
  CHECK(host.storage->source.provenance == Provenance::assumed);
}

TEST_CASE("a wrong host is refused with its line") {
  CHECK_THAT(host_complaint("memory: 1 GB", false), ContainsSubstring("threads"));
  CHECK_THAT(host_complaint("threads: many", false), ContainsSubstring("host.yaml:1"));
  CHECK_THAT(host_complaint("threads: 0", false), ContainsSubstring("host.yaml:1"));
  CHECK_THAT(host_complaint("threads: 8\nmemory: 0 GB", false), ContainsSubstring("host.yaml:2"));
  CHECK_THAT(host_complaint("threads: 8\ncores: 4", false), ContainsSubstring("cores"));
  CHECK_THAT(host_complaint("threads: 8", true), ContainsSubstring("accelerators"));
  CHECK_THAT(host_complaint("threads: 8\naccelerators: 4", false), ContainsSubstring("accelerators"));
}

TEST_CASE("nodes have a host each, chips of a grid share theirs") {
  const Cluster nodes = build_cluster("dgx1-v100:nodes=3");
  REQUIRE(nodes.host);
  CHECK(nodes.host->threads.value == 80);
  CHECK(nodes.hosts == 3);
  const Cluster grid = build_cluster("tpu-v2-pod");
  REQUIRE(grid.host);
  CHECK(grid.host->threads.value == 32);
  CHECK(grid.hosts == 64);
  CHECK(build_cluster("torus4x4:accelerator=tpu-v3").host->threads.value == 96);
  CHECK(build_cluster("torus32x32", 2).hosts == 1);
}
