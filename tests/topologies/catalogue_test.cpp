
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/text/document.hpp"
#include "core/text/spelling.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"
#include "topologies/machine/topology_name.hpp"
#include "topologies_files.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const std::set<std::string> kFigures{"bandwidth",     "latency",         "memory", "memory_bandwidth",
                                     "kernel_launch", "multiprocessors", "clock"};

/// Every figure below a map has its value, provenance and source; returns how many there were.
int check_figures(const Document& document, bool figures = false) {
  int count = 0;
  if (document.is_list()) {
    for (const auto& item : document.items()) count += check_figures(item);
    return count;
  }
  if (!document.is_map()) return 0;
  for (const auto& [key, value] : document.entries()) {
    if (!figures && kFigures.count(key) == 0) {
      count += check_figures(value, key == "peak");
      continue;
    }
    INFO(value.place());
    REQUIRE(value.is_map());
    CHECK(value.has("value"));
    CHECK_NOTHROW(parse<Provenance>(value.at("provenance").text()));
    CHECK(value.at("source").text().size() > 8);
    ++count;
  }
  return count;
}

std::string stem(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(path.substr(slash + 1, path.rfind('.') - slash - 1));
}

}  // namespace

TEST_CASE("every file of the catalogue parses and each of its figures has a source") {
  int files = 0;
  for (const auto& file : topologies_files()) {
    if (file.path == "prices.yaml" || file.path == "names.yaml") continue;
    const Document document = Document::parse(file.text, std::string(file.path));
    INFO(file.path);
    CHECK(document.at("name").text() == stem(file.path));
    const bool machine = file.path.substr(0, 9) == "machines/";
    if (machine)
      CHECK_NOTHROW(read_machine(document));
    else
      CHECK_NOTHROW(read_accelerator(document));
    const int figures = check_figures(document);
    CHECK((figures >= (machine ? 2 : 4) || document.has("grid") || document.has("like")));
    ++files;
  }
  CHECK(files == static_cast<int>(catalogue_machines().size() + accelerator_names().size()));
}

TEST_CASE("the machines and accelerators of the published tables are there") {
  for (const char* name :
       {"dgx1-p100",       "dgx1-v100",  "dgx2",       "dgx2h",      "dgx-a100",   "dgx-a100-80gb", "dgx-h100",
        "hgx-h200",        "gce-k80",    "gce-v100",   "gce-p100",   "ec2-p2",     "p2.8xlarge",    "p2.16xlarge",
        "p3.16xlarge",     "p3dn",       "p4d",        "gke-t4",     "gke-cpu",    "tpu-v2-pod",    "tpu-v3-pod",
        "tpu-v3-multipod", "tpu-v4-pod", "torus16x16", "torus32x32", "torus128x32"})
    CHECK_NOTHROW(build_cluster(name));
  for (const char* name : {"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "k80", "p100-sxm2", "p100-pcie",
                           "v100-sxm2-16gb", "v100-sxm2-32gb", "v100-sxm3-32gb", "v100-pcie", "t4", "a100-sxm4-40gb",
                           "a100-sxm4-80gb", "a100-pcie-40gb", "h100-sxm5", "h100-pcie", "h200-sxm"})
    CHECK(load_accelerator(name).name == name);
}

TEST_CASE("names and aliases are unique") {
  std::set<std::string> seen;
  for (const auto& published : published_names()) CHECK(seen.insert(published.name).second);
  for (const auto& machine : catalogue_machines()) {
    CHECK(seen.insert(machine.name).second);
    if (!machine.grid_name.empty()) CHECK(seen.insert(machine.grid_name).second);
    for (const auto& alias : machine.aliases) CHECK(seen.insert(alias).second);
  }
}

TEST_CASE("names that differ in case, dashes and underscores only mean one system") {
  std::map<std::string, std::string> meant;
  std::vector<std::string> names;
  for (const auto& published : published_names()) names.push_back(published.name);
  for (const auto& machine : catalogue_machines())
    for (const auto& name : names_of(machine))
      if (name != machine.grid_name) names.push_back(name);
  for (const auto& name : names) {
    INFO(name);
    const std::string system = build_cluster(name).name;
    CHECK(meant.emplace(name_key(name), system).first->second == system);
  }
  std::set<std::string> accelerators;
  for (const auto& name : accelerator_names()) CHECK(accelerators.insert(name_key(name)).second);
}

TEST_CASE("a machine and its accelerator are found by every name without building the system") {
  for (const auto& machine : catalogue_machines()) {
    REQUIRE(catalogue_machine(machine.name) != nullptr);
    CHECK(catalogue_machine(machine.name)->name == machine.name);
    if (!machine.grid_name.empty()) CHECK(catalogue_machine(machine.grid_name)->name == machine.name);
    for (const auto& alias : machine.aliases) CHECK(catalogue_machine(alias)->name == machine.name);
  }
  CHECK(catalogue_machine("accelerator") == nullptr);  // a word of every file, but no machine's name
  for (const auto& entry : topology_entries()) {
    INFO(entry.name);
    CHECK(accelerator_of(entry.name) == entry.accelerator);
    CHECK(build_cluster(entry.name).ranks() == entry.accelerators);
  }
  CHECK(accelerator_of("torus4x4:accelerator=tpu-v2") == "tpu-v2");
  CHECK_THROWS_AS(accelerator_of("dgx-a1000"), InputError);
}

TEST_CASE("figures are those of the data sheets") {
  const AcceleratorSpec v3 = load_accelerator("tpu-v3");
  CHECK(v3.peak.at(Precision::bf16).value == FlopPerSecond(123e12));
  CHECK(v3.memory.value == mebibytes(32 * 1024));
  CHECK(v3.memory_bandwidth.value == gigabytes_per_second(900));
  CHECK(v3.family == AcceleratorFamily::tpu);
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-80gb");
  CHECK(a100.peak.at(Precision::tf32).value == FlopPerSecond(156e12));
  CHECK(a100.memory_bandwidth.value == gigabytes_per_second(2039));
  CHECK(a100.kernel_launch.value == microseconds(4));
  CHECK(load_accelerator("k80").peak.count(Precision::fp16) == 0);
  CHECK(load_accelerator("k80").memory.source.provenance == Provenance::assumed);
  CHECK_THROWS_WITH(load_accelerator("v100"), Catch::Matchers::ContainsSubstring("unknown accelerator \"v100\""));
}

TEST_CASE("what the build read of the catalogue is what its text says") {
  int trees = 0;
  for (const EmbeddedFile& file : topologies_files()) {
    INFO(file.path);
    if (!file.path.ends_with(".yaml")) continue;
    CHECK(file.tree == yaml_tree(file.text, std::string(file.path)));
    ++trees;
  }
  CHECK(trees > 40);
}
