#include "workloads/model/model.hpp"

#include "catch.hpp"

using mlsim::workloads::network_name;

TEST_CASE("versions and parameters of a workload are one network") {
  CHECK(network_name("resnet50") == "resnet50");
  CHECK(network_name("resnet50-v1") == "resnet50");
  CHECK(network_name("resnet50-v1.5:image=288") == "resnet50");
  CHECK(network_name("bert-large:sequence=256") == "bert-large");
}

TEST_CASE("what only looks like a version belongs to the network's name") {
  CHECK(network_name("bert-large-128") == "bert-large-128");
  CHECK(network_name("net-v") == "net-v");
  CHECK(network_name("net-v2-wide") == "net-v2-wide");
}
