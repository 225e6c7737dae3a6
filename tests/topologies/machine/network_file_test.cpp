#include "topologies/machine/machine_file.hpp"

#include "catch.hpp"
#include "scratch_folder.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kBox = R"(name: lab-box
accelerator: t4
node:
  accelerators: 1
  interconnect: pcie
  pcie: {bandwidth: 15 GB/s, latency: 150 ns}
  nic: {count: 1, at: host, bandwidth: 10 Gbit/s, latency: 10 us}
  network:
)";

std::string network_complaint(const std::string& text) {
  try {
    read_network(Document::parse(text, "network.yaml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a network says what each library reaches of it") {
  const NetworkSpec network =
      read_network(Document::parse("gloo:\n"
                                   "  share: {value: 0.5, provenance: published, source: s}\n"
                                   "  message: 330 us\n"
                                   "  sum_16: 32 ns\n"
                                   "mpi: {share: 1, message: 0 us, call: 40 us}\n",
                                   "n"));
  REQUIRE(network.size() == 2);
  const LibraryNetwork& gloo = network.at("gloo");
  CHECK(gloo.share.value == 0.5);
  CHECK(gloo.share.source.provenance == Provenance::published);
  CHECK(gloo.message.value == microseconds(330));
  CHECK(gloo.message.source.provenance == Provenance::assumed);
  CHECK(gloo.sum_16->value == Seconds(32e-9));
  CHECK_FALSE(gloo.call);
  CHECK(network.at("mpi").call->value == microseconds(40));
}

TEST_CASE("a wrong network is refused with its line and the nearest word") {
  const std::string rest = ", message: 1 us}";
  CHECK_THAT(network_complaint("nccl: {share: 0.5" + rest + "\nglooo: {share: 0.5" + rest),
             ContainsSubstring("network.yaml:2") && ContainsSubstring("did you mean \"gloo\"?"));
  CHECK_THAT(network_complaint("mpi: {share: 1.5" + rest),
             ContainsSubstring("network.yaml:1") && ContainsSubstring("share"));
  CHECK_THAT(network_complaint("mpi: {share: 0" + rest), ContainsSubstring("from 0.000001 to 1"));
  CHECK_THAT(network_complaint("mpi: {share: -1" + rest), ContainsSubstring("from 0.000001 to 1"));
  CHECK_THAT(network_complaint("mpi: {share: half" + rest), ContainsSubstring("network.yaml:1"));
  CHECK_THAT(network_complaint("mpi: {share: 0.5}"), ContainsSubstring("message"));
  CHECK_THAT(network_complaint("mpi: {share: 0.5, message: -1 us}"), ContainsSubstring("must be from 0 s to 1 h"));
  CHECK_THAT(network_complaint("mpi: {share: 0.5, message: 1 GB}"), ContainsSubstring("network.yaml:1"));
  CHECK_THAT(network_complaint("mpi: {share: 0.5, message: 1 us, calls: 1 us}"),
             ContainsSubstring("did you mean \"call\"?"));
  CHECK_THAT(network_complaint("[nccl]"), ContainsSubstring("network.yaml:1"));
}

TEST_CASE("a machine file's network reaches its cluster") {
  ScratchFolder folder;
  const auto good = folder.file("good.yaml", kBox + "    nccl: {share: 0.7, message: 20 us}\n");
  CHECK(build_cluster(good, 4).network.at("nccl").share.value == 0.7);
  const auto bad = folder.file("bad.yaml", kBox + "    nccll: {share: 0.7, message: 20 us}\n");
  CHECK_THROWS_WITH(build_cluster(bad), ContainsSubstring("bad.yaml:9") && ContainsSubstring("\"nccl\""));
}

TEST_CASE("a node without a NIC has no network to reach") {
  ScratchFolder folder;
  const auto alone = folder.file("alone.yaml", R"(name: lab-box
accelerator: t4
node:
  accelerators: 1
  interconnect: pcie
  pcie: {bandwidth: 15 GB/s, latency: 150 ns}
  network: {nccl: {share: 0.7, message: 20 us}}
)");
  CHECK_THROWS_WITH(build_cluster(alone), ContainsSubstring("alone.yaml:7") && ContainsSubstring("without \"nic\""));
}

TEST_CASE("every library of the catalogue's networks has its figures from a source") {
  int libraries = 0;
  for (const std::string name :
       {"gke-t4", "gke-cpu", "gke-k80", "horovod-25gbe", "horovod-25gbe-tcp", "horovod-40gbe"}) {
    for (const auto& [library, network] : build_cluster(name, 0).network) {
      INFO(name << " " << library);
      CHECK(network.share.value <= 1);
      CHECK(network.share.source.source.size() > 10);
      ++libraries;
    }
  }
  CHECK(libraries == 3 + 2 + 2 + 2 + 2 + 2);
}
