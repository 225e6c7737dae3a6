// Multiprocessors and clocks: how they are read, and that the peaks of the catalogue follow from them.
#include <algorithm>
#include <array>
#include <string_view>

#include "catch.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

AcceleratorSpec read(const std::string& lines) {
  const std::string text =
      "name: chip\nfamily: gpu\npeak: {fp32: 10 TFLOP/s}\nmemory: 16 GiB\nmemory_bandwidth: 700 GB/s\n"
      "kernel_launch: 4 us\n" +
      lines;
  return read_accelerator(Document::parse(text, "chip.yaml")).spec;
}

std::string complaint(const std::string& lines) {
  try {
    read(lines);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// fp32 fused multiply-adds a cycle of one multiprocessor, by how the accelerator's name begins: NVIDIA's architecture
// whitepapers and CUDA C++ Programming Guide, "Arithmetic Instructions"; AMD's CDNA 3 and RDNA 3 count packed or dual
// issue.
struct Lanes {
  std::string_view name;
  int count;
};
constexpr std::array kLanes{
    Lanes{"k80", 192},       Lanes{"k40", 192},      Lanes{"m60", 128},     Lanes{"m40", 128},
    Lanes{"p100", 64},       Lanes{"p4", 128},       Lanes{"gtx-10", 128},  Lanes{"v100", 64},
    Lanes{"t4", 64},         Lanes{"quadro", 64},    Lanes{"titan-x", 128}, Lanes{"titan", 64},
    Lanes{"rtx-20", 64},     Lanes{"a100", 64},      Lanes{"a30", 64},      Lanes{"a40", 128},
    Lanes{"a10g", 128},      Lanes{"rtx-30", 128},   Lanes{"rtx-a", 128},   Lanes{"l4", 128},
    Lanes{"rtx-40", 128},    Lanes{"h100", 128},     Lanes{"h200", 128},    Lanes{"b200", 128},
    Lanes{"gb200", 128},     Lanes{"rtx-50", 128},   Lanes{"mi3", 128},     Lanes{"radeon-pro-vii", 64},
    Lanes{"radeon-rx", 128}, Lanes{"a800", 64},      Lanes{"h800", 128},    Lanes{"b300", 128},
    Lanes{"gb300", 128},     Lanes{"mi1", 128},      Lanes{"mi50", 64},     Lanes{"mi60", 64},
    Lanes{"mi2", 128},       Lanes{"max-", 128},     Lanes{"a10", 128},     Lanes{"gh200", 128},
    Lanes{"h20", 128},       Lanes{"rtx-6000", 128}, Lanes{"rtx-pro", 128}, Lanes{"gb10", 128}};

int lanes(const std::string& accelerator) {
  const auto found = std::find_if(kLanes.begin(), kLanes.end(),
                                  [&](const Lanes& entry) { return accelerator.starts_with(entry.name); });
  INFO(accelerator);
  REQUIRE(found != kLanes.end());
  return found->count;
}

// These are counted among GPUs, but have matrix engines beside vector processors (Gaudi, Ascend, Trainium) or tiles of their own
// kind (IPUs).
bool has_multiprocessors(const AcceleratorSpec& spec) {
  const auto begins = [&](const char* name) { return spec.name.starts_with(name); };
  return spec.family == AcceleratorFamily::gpu && !begins("gaudi") && !begins("ascend") && !begins("ipu") &&
         !begins("trainium");
}

}  // namespace

TEST_CASE("multiprocessors and clock are read with their source, and may be absent") {
  const AcceleratorSpec spec =
      read("multiprocessors: {value: 80, provenance: datasheet, source: whitepaper}\nclock: 1530 MHz");
  CHECK(spec.multiprocessors.value == 80);
  CHECK(spec.multiprocessors.source == Source{Provenance::datasheet, "whitepaper", ""});
  CHECK(spec.clock.value == PerSecond(1.53e9));
  CHECK(spec.clock.source.provenance == Provenance::assumed);
  CHECK(read("clock: 1.53 GHz").clock.value == spec.clock.value);
  CHECK(read("").multiprocessors.value == 0);
  CHECK(read("").clock.value == PerSecond(0));
}

TEST_CASE("a count of multiprocessors or a clock that is none is refused with its line") {
  CHECK_THAT(complaint("multiprocessors: 0"), ContainsSubstring("chip.yaml:7"));
  CHECK_THAT(complaint("multiprocessors: -80"), ContainsSubstring("-80"));
  CHECK_THAT(complaint("multiprocessors: 80.5"), ContainsSubstring("80.5"));
  CHECK_THAT(complaint("multiprocessors: {value: many, provenance: assumed, source: s}"), ContainsSubstring("many"));
  CHECK_THAT(complaint("multiprocessors: {value: 80, provenance: assumed}"), ContainsSubstring("source"));
  CHECK_THAT(complaint("clock: 0 MHz"), ContainsSubstring("must be from 1 Hz"));
  CHECK_THAT(complaint("clock: 1530 MB"), ContainsSubstring("unknown unit of a rate"));
  CHECK_THAT(complaint("clocks: 1530 MHz"), ContainsSubstring("clock"));
}

TEST_CASE("an accelerator may name its maker's library of collectives") {
  CHECK(read("library: rccl").library == "rccl");
  CHECK(read("").library.empty());
  CHECK_THAT(complaint("library: rcll"), ContainsSubstring("chip.yaml:7") && ContainsSubstring("rccl"));
}

TEST_CASE("a chip is its own kind unless it names another, and its products reach a share of the peak") {
  CHECK(read("").chip == "chip");
  const AcceleratorSpec spec = read("chip: v100\nproduct_share: {narrow: 0.8}");
  CHECK(spec.chip == "v100");
  CHECK(spec.narrow_products.value == 0.8);
  CHECK(spec.fp32_products.value == 0);
  CHECK_THAT(complaint("product_share: {narrow: 1.2}"), ContainsSubstring("chip.yaml:7"));
  CHECK_THAT(complaint("product_share: {wide: 0.5}"), ContainsSubstring("wide"));
}

TEST_CASE("every GPU of the catalogue has multiprocessors and a clock, nothing else has") {
  for (const std::string& name : accelerator_names()) {
    const AcceleratorFile& file = catalogue_accelerator(name);
    INFO(name);
    CHECK((file.spec.multiprocessors.value > 0) == has_multiprocessors(file.spec));
    CHECK((file.spec.clock.value > PerSecond(0)) == has_multiprocessors(file.spec));
  }
}

TEST_CASE("the fp32 peak of a GPU is multiprocessors x multiply-adds a cycle x 2 x clock") {
  for (const std::string& name : accelerator_names()) {
    const AcceleratorSpec& spec = catalogue_accelerator(name).spec;
    // The data sheet of A10G counts 72 of its 80 multiprocessors in fp32; see the next case.
    if (!has_multiprocessors(spec) || spec.name == "a10g") continue;
    INFO(spec.name);
    const double counted = 2.0 * spec.multiprocessors.value * lanes(spec.name) * spec.clock.value.value;
    CHECK(spec.peak.at(Precision::fp32).value.value == Approx(counted).epsilon(0.02));
  }
}

TEST_CASE("A10G has the multiprocessors that its tensor cores count") {
  const AcceleratorSpec a10g = load_accelerator("a10g"), a40 = load_accelerator("a40");
  // A40 is the same architecture with tensor cores of twice the rate.
  const auto rate = [](const AcceleratorSpec& spec) {
    return spec.peak.at(Precision::fp16).value.value / spec.multiprocessors.value / spec.clock.value.value;
  };
  CHECK(rate(a40) == Approx(2 * rate(a10g)).epsilon(0.02));
}
