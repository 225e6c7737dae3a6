// What a variant of NCCL's all-reduce takes: NCCL's structure with constants fitted to published nccl-tests sweeps.
//
// Kept apart from what NCCL believes (sim/collectives/nccl/choice.hpp): it chooses by its own constants and then takes
// what it takes.
#pragma once

#include <array>
#include <optional>

#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::costs {

/// Times in microseconds, shares of what data sheets say. The defaults are robust fits of log-time errors to published
/// nccl-tests sweeps (NVIDIA DeepOps, AWS, GCP, Oracle, CoreWeave; 2019-2025), every sweep weighted alike; ranges are
/// of fits that leave one system out. calibrate/fit/nccl_fit.hpp fits them anew.
struct NcclConstants {
  struct Network {
    double share = 0;     // share of the NICs' line rate
    double crossing = 0;  // us, beside NCCL's own
    double fill = 0;      // c of the pipeline
    bool operator==(const Network&) const = default;
  };

  double ring = 0.81;                // share of NVLink's line rate, 0.78-0.85
  double tree = 0.73;                // 0.72-0.78
  double nvls_hopper = 0.68;         // 0.67-0.68
  double nvls_blackwell = 0.60;      // 8 GPUs, B200
  double nvls_rack = 0.50;           // NVL72, 0.49-0.50
  double nvls_latency = 23;          // us, 22-23.5
  double nvls_rack_latency = 470;    // us, 390-480
  double nvls_tree_crossing = 13.4;  // us, 13-14
  double pcie = 0.55;                // share of an x16 slot's rate, boxes without peer access; one system
  double pcie_latency = 1.8;         // times NCCL's; one system
  double short_latency = 1.13;       // times NCCL's, LL and LL128; 1.12-1.16
  double simple_latency = 0.85;      // 0.72-0.92
  double short_fill = 0;             // c of the pipeline for LL and LL128; 0 in the study that fitted the others
  Bytes fill_bytes = mebibytes(61);  // part of the payload that fills a pipeline; 59-66 MiB
  /// By NodeNetwork. Shares read off plateaus; crossings 6.7-7.3 (RDMA) and 54-65 us (clouds); fill 0.92-1.01 and
  /// 1.65-2.3. Sockets as EFA: no sweep over them is published.
  std::array<Network, 6> networks{
      {{0.94, 7, 1}, {0.92, 7, 1}, {0.84, 60, 2}, {0.70, 60, 2}, {0.90, 60, 2}, {0.84, 60, 2}}};
  bool operator==(const NcclConstants&) const = default;
};

/// Whether the system can run a variant of the all-reduce.
bool runs(const NcclSystem& system, const NcclVariant& variant);

/// Time of one all-reduce of `bytes` by one variant:
///   T = L + S / R + c sqrt(L min(S, fill_bytes) / R)
/// with latency L and rate R of the variant's structure and pipeline fill c (of the network for Simple and NVLS,
/// short_fill for LL and LL128). 0 on one rank. Grows with S. With the default constants, on ten clean published sweeps
/// of 1 and 2 nodes, all sizes: median error 7 %, P90 25 % (5 % and 11 % from 64 MiB); that more nodes take 2 log2(n)
/// crossings more is NCCL's structure and unverified. Throws Infeasible where the system cannot run the variant.
Seconds nccl_time(const NcclSystem& system, const NcclVariant& variant, Bytes bytes,
                  const NcclConstants& constants = {});

/// The quickest variant by nccl_time that the filter lets through, the first of equals; empty on one rank.
std::optional<NcclEstimate> nccl_quickest(const NcclSystem& system, Bytes bytes, const NcclFilter& filter = {},
                                          const NcclConstants& constants = {});

}  // namespace mlsim::costs
