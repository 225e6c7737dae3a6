#include "sim/links/link_efficiency.hpp"

namespace mlsim::sim {

LinkEfficiency ideal_links() {
  LinkEfficiency links;
  for (auto& entry : links.by_kind)
    entry = {1, Seconds(0), {Provenance::assumed, "the bare link, for checks against formulas", ""}};
  return links;
}

LinkEfficiency fitted_links() {
  LinkEfficiency links;
  links[LinkKind::nvlink] = {
      0.81,
      microseconds(3.4),
      {Provenance::fitted,
       "share: ring bandwidth of published nccl-tests sweeps, 0.78 to 0.85 leaving one system out (NCCL's own tables "
       "have 20 of 25 GB/s a link); latency: NCCL src/graph/tuning.cc, Ring Simple over NVLink",
       "2026"}};
  links[LinkKind::pcie] = {0.76,
                           microseconds(5.7),
                           {Provenance::published,
                            "share: NCCL counts 12 of the 15.75 GB/s of PCIe 3.0 x16 (src/graph/topo.h); boxes without "
                            "peer access reach 0.1 "
                            "to 0.6 and need a measurement; latency: NCCL src/graph/tuning.cc, Ring Simple over PCIe",
                            "2026"}};
  links[LinkKind::nic] = {
      0.94,
      microseconds(14 + 7),
      {Provenance::fitted,
       "share: plateaus of published nccl-tests sweeps over InfiniBand, 0.91 to 1.0; latency: NCCL "
       "src/graph/tuning.cc, Ring Simple over the network, 14 us, and 7 us a crossing fitted to the same sweeps",
       "2026"}};
  links[LinkKind::ici] = {
      0.8,
      Seconds(0),
      {Provenance::fitted,
       "share: all-reduce at 0.8 of the data sheet in fits to published MLPerf scaling rows (no ICI sweep is "
       "published); latency: the hop's own is in the link, messages are started by hardware",
       "2026"}};
  links[LinkKind::network] = {
      1,
      Seconds(0),
      {Provenance::assumed, "switches of a non-blocking network; what software loses is counted at the NIC", ""}};
  return links;
}

std::string_view link_kind_name(LinkKind kind) {
  static constexpr std::array<std::string_view, 5> kNames{"ICI", "NVLink", "PCIe", "NIC", "network"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace mlsim::sim
