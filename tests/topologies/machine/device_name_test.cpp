// What drivers and logs call accelerators, against the catalogue's names.
#include "topologies/machine/accelerator_file.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("drivers' and logs' names of devices mean all boards of their model") {
  CHECK(sorted(accelerators_of_device_name("NVIDIA H100 80GB HBM3")) == Names{"h100-nvl", "h100-pcie", "h100-sxm5"});
  CHECK(accelerators_of_device_name("AMD Instinct MI300X") == Names{"mi300x"});
  CHECK(accelerators_of_device_name("1xMI300X") == Names{"mi300x"});
  CHECK(sorted(accelerators_of_device_name("dgxh100_n8_ngc24.04")) == Names{"h100-nvl", "h100-pcie", "h100-sxm5"});
  CHECK(accelerators_of_device_name("NVIDIA GB200") == Names{"gb200"});
  CHECK(accelerators_of_device_name("NVIDIA GeForce RTX 2080 Ti") == Names{"rtx-2080-ti"});
  CHECK(accelerators_of_device_name("GeForce RTX 2080") == Names{"rtx-2080"});
  CHECK(sorted(accelerators_of_device_name("Tesla V100-SXM2-16GB")) ==
        Names{"v100-pcie", "v100-pcie-32gb", "v100-sxm2-16gb", "v100-sxm2-32gb", "v100-sxm3-32gb"});
  for (const char* unknown : {"", "NVIDIA", "a machine of ours", "Graphics Device"})
    CHECK(accelerators_of_device_name(unknown).empty());
}

TEST_CASE("a device that is another accelerator is refused with both names, one that is unknown passes") {
  CHECK_THROWS_WITH(check_device_name("a.log", "AMD Instinct MI300X", "h100-sxm5"),
                    "a.log: is of \"AMD Instinct MI300X\", which is mi300x, not of \"h100-sxm5\"");
  CHECK_THROWS_WITH(check_device_name("a.log", "NVIDIA H800", "h100-sxm5"), ContainsSubstring("h800-sxm5"));
  CHECK_THROWS_WITH(check_device_name("a.log", "NVIDIA L4", "my-chip"), ContainsSubstring("not of \"my-chip\""));
  CHECK_NOTHROW(check_device_name("a.log", "NVIDIA H100 PCIe", "h100-sxm5"));
  CHECK_NOTHROW(check_device_name("a.log", "Own Chip 1", "own-chip-1"));
}
