#include "topologies/machine/figure_bounds.hpp"

#include <array>
#include <string>
#include <vector>

#include "catch.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/machine/machine_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::array<std::string, 6> kWildNumbers{"1e308", "1e-308", "-1", "nan", "inf", "18446744073709551616"};

/// Where a number is written, and with what behind it.
struct NumberPlace {
  std::string before, after;
  bool zero_too = false;  // so that 1e-308 is as good
};

std::string complaint_about(const std::string& topology) {
  try {
    build_cluster(topology);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

std::string complaint_about_file(const std::string& text) {
  try {
    read_machine(Document::parse(text, "lab.yaml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const std::string kWildBox = R"(name: lab-box
accelerator:
  name: lab-chip
  family: gpu
  peak: {bf16: 90 TFLOP/s}
  multiprocessors: 100
  clock: 2 GHz
  memory: 16 GiB
  memory_bandwidth: 700 GB/s
  kernel_launch: 1 us
  through_host: 5 GB/s
  grid_link: {links: 4, bandwidth: 40 GB/s, latency: 3 us}
node:
  accelerators: 4
  interconnect: nvlink-mesh
  nvlink: {pairs: [[0, 1, 12], [2, 3, 12]], bandwidth: 25 GB/s, latency: 500 ns}
  pcie: {accelerators_per_switch: 2, bandwidth: 63 GB/s, latency: 150 ns, through_host: 8 GB/s}
  nic: {count: 6, at: pcie-switch, bandwidth: 200 Gbit/s, latency: 400 ns}
  network:
    nccl: {share: 0.6, message: 10 us, call: 20 us, sum_16: 30 ns}
  host: {threads: 40, memory: 256 GB, storage: 500 MB/s}
  nodes_per_leaf: 9
  oversubscription: 7
price:
  - {resource: lab, per: accelerator, on_demand: 11 USD/h, preemptible: 13 USD/h, block: 17, at_least: 19, at_most: 23}
)";

}  // namespace

TEST_CASE("an option of a topology beyond its bounds is refused by its name") {
  const std::vector<NumberPlace> options{{"torus4x4:link_bandwidth=", "B/s"},
                                         {"torus4x4:link_latency=", "s", true},
                                         {"torus4x4:slice=2x", ""},
                                         {"dgx2:nodes=2:link_bandwidth=", "Gbit/s"},
                                         {"dgx2:nodes=2:network_bandwidth=", "GB/s"},
                                         {"dgx2:nodes=2:network_latency=", "us", true},
                                         {"dgx2:nodes=", ""},
                                         {"dgx2:per_node=", ""},
                                         {"dgx2:nodes=2:nodes_per_leaf=", ""},
                                         {"dgx2:nodes=2:oversubscription=", ""}};
  for (const auto& [before, after, zero_too] : options) {
    for (const std::string& number : kWildNumbers) {
      if (zero_too && number == "1e-308") continue;
      const std::string topology = before + number + after, complaint = complaint_about(topology);
      const std::string option = before.substr(before.rfind(':') + 1, before.rfind('=') - before.rfind(':') - 1);
      INFO(topology << " -> " << complaint);
      CHECK_THAT(complaint, ContainsSubstring("option \"" + option + "\": "));
      CHECK_THAT(complaint, ContainsSubstring("must be from ") || ContainsSubstring("at most ") ||
                                ContainsSubstring("smallest possible value, 1") ||
                                ContainsSubstring("is not a whole number") || ContainsSubstring("finite number"));
    }
  }
  CHECK(complaint_about("torus4x4:link_bandwidth=1e308B/s") ==
        "topology \"torus4x4\": option \"link_bandwidth\": must be from 1 B/s to 1000 PB/s, not 1e308B/s");
  CHECK(complaint_about("dgx2:nodes=18446744073709551616") ==
        "topology \"dgx2\": option \"nodes\": 18446744073709551616 is too large; at most 100000");
}

TEST_CASE("a figure of a machine file beyond its bounds is refused with its line") {
  REQUIRE(complaint_about_file(kWildBox) == "");
  const std::vector<NumberPlace> figures{{"90", " TFLOP/s"},
                                         {"100", "\n"},
                                         {"2", " GHz"},
                                         {"16", " GiB"},
                                         {"700", " GB/s"},
                                         {"1", " us\n", true},
                                         {"5", " GB/s"},
                                         {"40", " GB/s"},
                                         {"3", " us", true},
                                         {"4", "\n"},
                                         {"12", "], [2"},
                                         {"25", " GB/s"},
                                         {"500", " ns", true},
                                         {"2", ", bandwidth: 63"},
                                         {"63", " GB/s"},
                                         {"150", " ns", true},
                                         {"8", " GB/s"},
                                         {"6", ", at: pcie"},
                                         {"200", " Gbit/s"},
                                         {"400", " ns", true},
                                         {"0.6", ", message"},
                                         {"10", " us", true},
                                         {"20", " us", true},
                                         {"30", " ns", true},
                                         {"40", ", memory"},
                                         {"256", " GB,"},
                                         {"500", " MB/s"},
                                         {"9", "\n"},
                                         {"7", "\n"},
                                         {"11", " USD/h", true},
                                         {"13", " USD/h", true},
                                         {"17", ", at_"},
                                         {"19", ", at_most"},
                                         {"23", "}\n"}};
  for (const auto& [figure, after, zero_too] : figures) {
    const auto at = kWildBox.find(" " + figure + after);
    INFO(figure << after);
    REQUIRE(at != std::string::npos);
    const auto line = 1 + std::count(kWildBox.begin(), kWildBox.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    for (const std::string& number : kWildNumbers) {
      if (zero_too && number == "1e-308") continue;
      const std::string text = std::string(kWildBox).replace(at + 1, figure.size(), number);
      INFO(number);
      CHECK_THAT(complaint_about_file(text), ContainsSubstring("lab.yaml:" + std::to_string(line) + ": "));
    }
  }
}

TEST_CASE("the least and the largest figures are taken") {
  for (const std::string option :
       {"link_bandwidth=1B/s", "link_bandwidth=1000PB/s", "link_latency=0s", "link_latency=1h"})
    CHECK_NOTHROW(build_cluster("torus4x4:" + option));
  for (const std::string option : {"oversubscription=1000000", "oversubscription=1", "nodes_per_leaf=100000"})
    CHECK_NOTHROW(build_cluster("dgx2:nodes=2:" + option));
}
