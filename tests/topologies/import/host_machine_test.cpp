#include "topologies/import/host_machine.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/import/imports.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

HostMachine two_sockets() {
  HostMachine host;
  host.origin = "lab \"one\"";
  host.processor = "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz";
  host.sockets = 2;
  host.cores = 48;
  host.threads = 96;
  host.memory = Bytes(1.5e12);
  host.clock = 2.7e9;
  host.fp32_per_cycle = 64;
  host.nics = {{"eth0", 25000}, {"eth1", 0}, {"eth2", 10000}};
  host.gpus = {{"0x20b2", gigabytes_per_second(31.5)}, {"0x20b2", gigabytes_per_second(31.5)}};
  return host;
}

Cluster built(const HostMachine& host, const HostMachineHints& hints, const std::string& options = "") {
  const ScratchFolder folder;
  return build_cluster(folder.file("host.yaml", machine_file_text(host, hints)) + options);
}

bool has_hwloc() {
  try {
    this_machine();
    return true;
  } catch (const Unavailable&) {
    return false;
  }
}

// As lstopo --of xml writes it, cut down.
const std::string kXml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <info name="OSName" value="Linux"/>
    <object type="Package" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2">
      <info name="CPUModel" value="AMD EPYC 7742 64-Core Processor"/>
      <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3" local_memory="17179869184"/>
      <object type="Core" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7">
        <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8"/>
        <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9"/>
      </object>
    </object>
    <object type="Bridge" gp_index="10" bridge_type="0-1" depth="0" bridge_pci="0000:[00-04]">
      <object type="PCIDev" gp_index="11" pci_busid="0000:01:00.0" pci_type="0302 [10de:20f1] [10de:145f] a1" pci_link_speed="31.507692"/>
      <object type="PCIDev" gp_index="12" pci_busid="0000:02:00.0" pci_type="0200 [8086:1572] [8086:0000] 01" pci_link_speed="7.876923">
        <object type="OSDev" gp_index="13" name="ens1" osdev_type="2"/>
      </object>
    </object>
  </object>
</topology>
)";

}  // namespace

TEST_CASE("a processor is an accelerator with what was measured of it") {
  HostMachineHints hints;
  hints.ceilings = {FlopPerSecond(2e12), BytesPerSecond(180e9), "mlsim calibrate", "2026-11-21"};
  const Cluster c = built(two_sockets(), hints);
  CHECK(c.ranks() == 1);
  CHECK(c.accelerator.name == "cpu-intel-xeon-platinum-8168");
  CHECK(c.accelerator.family == AcceleratorFamily::cpu);
  CHECK(c.accelerator.peak.at(Precision::fp32).value.value == Approx(2e12));
  CHECK(c.accelerator.peak.at(Precision::fp32).source.provenance == Provenance::measured);
  CHECK(c.accelerator.peak.at(Precision::fp32).source.date == "2026-11-21");
  CHECK(c.accelerator.memory_bandwidth.value.value == Approx(180e9));
  CHECK(c.accelerator.memory.value.value == Approx(1.5e12));
  CHECK(c.host->threads.value == 96);
}

TEST_CASE("what was not measured of a processor is assumed from its cores, and says so") {
  const AcceleratorSpec cpu = machine_of(two_sockets()).accelerator;
  const auto& peak = cpu.peak.at(Precision::fp32);
  CHECK(peak.value.value == Approx(48 * 2.7e9 * 64));
  CHECK(peak.source.provenance == Provenance::assumed);
  CHECK_THAT(peak.source.source, ContainsSubstring("48 cores x 2.7 GHz x 64"));
  CHECK(cpu.memory_bandwidth.value.value == Approx(48 * 8.5e9));
  CHECK(cpu.memory_bandwidth.source.provenance == Provenance::assumed);
}

TEST_CASE("NICs of known speed make a network, the others are noted") {
  const MachineSpec machine = machine_of(two_sockets());
  CHECK(machine.node->nics == 2);
  CHECK(machine.node->nic.bandwidth.value.value * 8 == Approx(17.5e9));
  REQUIRE(machine.notes.size() == 2);
  CHECK_THAT(machine.notes[0], ContainsSubstring("eth1"));
  CHECK(built(two_sockets(), {}, ":nodes=3").node_network.value * 8 == Approx(35e9));
  HostMachine alone = two_sockets();
  alone.nics = {{"eth0", 0}};
  CHECK(built(alone, {}).ranks() == 1);
  CHECK_THROWS_AS(built(alone, {}, ":nodes=2"), Infeasible);
}

TEST_CASE("GPUs are the accelerators where they are asked for") {
  HostMachineHints hints;
  hints.accelerators = HostMachineHints::Accelerators::gpus;
  const Cluster c = built(two_sockets(), hints);
  CHECK(c.accelerator.name == "a100-sxm4-80gb");
  CHECK(c.ranks() == 2);
  CHECK(c.injection.value == Approx(31.5e9));
  HostMachine host = two_sockets();
  host.gpus[1].device = "0x20b0";
  CHECK_THROWS_WITH(machine_of(host, hints), ContainsSubstring("0x20b2 and 0x20b0"));
  host.gpus = {{"0xffff", {}}};
  CHECK_THROWS_WITH(machine_of(host, hints), ContainsSubstring("0xffff"));
  hints.accelerator = "t4";
  CHECK(machine_of(host, hints).accelerator.name == "t4");
  host.gpus.clear();
  CHECK_THROWS_WITH(machine_of(host, hints), ContainsSubstring("no NVIDIA GPU"));
}

TEST_CASE("processors are named without trademarks and clock rates") {
  const auto name = [](const std::string& model) {
    HostMachine host = two_sockets();
    host.processor = model;
    return machine_of(host).accelerator.name;
  };
  CHECK(name("AMD EPYC 7742 64-Core Processor") == "cpu-amd-epyc-7742-64-core");
  CHECK(name("Intel(R) Xeon(R) Processor") == "cpu-intel-xeon");
  CHECK(name("Neoverse-N1") == "cpu-neoverse-n1");
  CHECK(name("") == "cpu");
}

TEST_CASE("clock and width of a processor come from cpuinfo") {
  CHECK(clock_of("processor\t: 0\ncpu MHz\t\t: 2100.000\ncpu MHz\t\t: 3500.5\n") == Approx(3.5005e9));
  CHECK(clock_of("processor\t: 0\n") == 0);
  CHECK(fp32_per_cycle_of("flags\t\t: fpu sse2 avx fma avx2 avx512f\n") == 64);
  CHECK(fp32_per_cycle_of("flags\t\t: fpu sse2 avx fma avx2\n") == 32);
  CHECK(fp32_per_cycle_of("flags\t\t: fpu sse2 avx\n") == 16);
  CHECK(fp32_per_cycle_of("flags\t\t: fpu sse2\n") == 8);
  CHECK(fp32_per_cycle_of("Features\t: fp asimd evtstrm\n") == 16);
  CHECK(fp32_per_cycle_of("") == 0);
}

TEST_CASE("this machine is a topology of one node") {
  if (!has_hwloc()) return;
  const HostMachine host = this_machine();
  CHECK(host.cores >= 1);
  CHECK(host.threads >= host.cores);
  CHECK(host.memory > Bytes(0));
  const Cluster c = built(host, {});
  CHECK(c.ranks() == 1);
  CHECK(c.accelerator.family == AcceleratorFamily::cpu);
}

TEST_CASE("what lstopo wrote is a machine") {
  const ScratchFolder folder;
  const std::string file = folder.file("host.xml", kXml);
  if (!has_hwloc()) return;
  const HostMachine host = hwloc_machine(file);
  CHECK(host.processor == "AMD EPYC 7742 64-Core Processor");
  CHECK(host.sockets == 1);
  CHECK(host.cores == 2);
  CHECK(host.threads == 4);
  CHECK(host.memory == Bytes(17179869184));
  REQUIRE(host.gpus.size() == 1);
  CHECK(host.gpus[0].device == "0x20f1");
  CHECK(host.gpus[0].link.value == Approx(31.5e9).epsilon(0.001));
  REQUIRE(host.nics.size() == 1);
  CHECK(host.nics[0].name == "ens1");
  CHECK(host.nics[0].megabits == 0);
  const MachineSpec machine = machine_of(host);
  CHECK_THAT(machine.accelerator.peak.at(Precision::fp32).source.source, ContainsSubstring("a usual base clock"));
  HostMachineHints gpus;
  gpus.accelerators = HostMachineHints::Accelerators::gpus;
  CHECK(machine_of(host, gpus).accelerator.name == "a100-pcie-40gb");
}

TEST_CASE("hwloc files that are cut off, or of another kind, are refused") {
  const ScratchFolder folder;
  if (!has_hwloc()) return;
  for (std::size_t cut = 120; cut + 12 < kXml.size(); cut += 199)
    CHECK_THROWS_WITH(hwloc_machine(folder.file("cut.xml", kXml.substr(0, cut))), ContainsSubstring("cut off"));
  CHECK_THROWS_WITH(hwloc_machine(folder.file("a.xml", "<system version=\"1\"/>")),
                    ContainsSubstring("begins with <system>"));
  CHECK_THROWS_WITH(hwloc_machine(folder.file("b.xml", "<topology version=\"2.0\"><object/></topology>")),
                    ContainsSubstring("lstopo"));
  CHECK_THROWS_AS(hwloc_machine(folder.path("c.xml")), InputError);
}

TEST_CASE("a file that crashes hwloc 2.9, or has it complain, is refused as no topology without a word of hwloc") {
  const ScratchFolder folder;
  if (!has_hwloc()) return;
  const std::string crashing =
      R"(<topology version="2.0"><object type="NUMANode" cpuset="0xff" nodeset="0x1" complete_nodeset="0x1"/>)"
      R"(<object gp_index="1"></object></topology>)";
  CHECK_THROWS_WITH(hwloc_machine(folder.file("a.xml", crashing)), ContainsSubstring("a.xml: is XML, but no topology"));
  CHECK(hwloc_machine(folder.file("b.xml", kXml)).cores == 2);  // and the next file is read as ever
}
