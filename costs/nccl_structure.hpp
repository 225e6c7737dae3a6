// nccl_time() costs a variant of NCCL's sums and gathers: NCCL's structure with constants fitted to published sweeps of
// its all-reduce.
//
// NCCL's own belief is kept apart (sim/collectives/nccl/choice.hpp): NCCL chooses by its own constants and then takes
// what it takes.
#pragma once

#include <array>
#include <optional>

#include "core/profile/collective.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::costs {

/// NcclConstants say what NCCL's all-reduces reach of the hardware, for this structure.
/// Shares count from the rates that data sheets state, factors from the latencies that NCCL itself expects.
struct NcclConstants {
  struct Network {
    double share = 0;  // of the NICs' line rate
    Seconds crossing;  // what a hop between nodes takes beside the latency that NCCL expects
    double fill = 0;   // c of the pipeline
    bool operator==(const Network&) const = default;
  };

  double ring = 0, tree = 0;                   // shares of NVLink's line rate
  double nvls_hopper = 0, nvls_blackwell = 0;  // in a box of 8 GPUs
  double nvls_rack = 0;                        // in an NVL72
  Seconds nvls_latency, nvls_rack_latency;     // whole, not a factor
  Seconds nvls_tree_crossing;                  // of a level of the tree between nodes
  double pcie = 0;                             // share of an x16 slot's rate, in boxes without peer access
  double pcie_latency = 0;                     // factor in such boxes
  double short_latency = 0;                    // factor of LL and LL128
  double simple_latency = 0;                   // factor of Simple
  double short_fill = 0;                       // c of the pipeline for LL and LL128
  Bytes fill_bytes;                            // the part of a payload that fills a pipeline
  std::array<Network, 6> networks;             // by NodeNetwork
  bool operator==(const NcclConstants&) const = default;
};

/// A study of ten published sweeps, rounded by hand, gave the prior that calibrate/fit/nccl_fit.hpp holds its fits to.
const NcclConstants& prior_nccl_constants();

/// fit_nccl() makes these of that prior and of eleven published sweeps (254 sizes): simulation takes all-reduces by
/// them that nobody measured, calibration completes by them the few sizes of a measured system. Median error 6 %, P90
/// 21 % in sample; with each system left out in turn 7 % and 26 %.
const NcclConstants& fitted_nccl_constants();

/// These are the errors of those 254 sizes, each system by a fit to the others (calibrate/fit/nccl_fit.hpp).
inline constexpr FitError kNcclErrorOfUnseen{0.07, 0.26, 254};

/// Says whether the constants describe this kind: all-reduce, and reduce-scatter and all-gather, which are one pass of
/// its ring of two.
bool has_structure(CollectiveKind kind);

/// Says whether the system runs a variant for a kind that has a structure. Only the rings of reduce-scatters and
/// all-gathers are described; NVLS moves as much over a GPU's links as they do.
bool runs(const NcclSystem& system, CollectiveKind kind, const NcclVariant& variant);

/// The time of one collective of `bytes`, the payload as nccl-tests counts it, by one variant is
///  T = L + S / R + c sqrt(L min(S, fill_bytes) / R)
/// with latency L and rate R of the variant's structure and pipeline fill c (of the network for Simple and NVLS,
/// short_fill for LL and LL128). It is 0 on one rank and grows with S. With the prior constants, on ten clean published
/// sweeps of 1 and 2 nodes, all sizes: median error 7 %, P90 25 % (5 % and 11 % from 64 MiB); that more nodes take 2
/// log2(n) crossings more is NCCL's structure and unverified. Nothing of a reduce-scatter or all-gather is in the fit.
/// Throws Infeasible where the system cannot run the variant.
Seconds nccl_time(const NcclSystem& system, CollectiveKind kind, const NcclVariant& variant, Bytes bytes,
                  const NcclConstants& constants = prior_nccl_constants());

/// Returns the quickest variant by nccl_time that the filter lets through, the first of equals; nothing on one rank and
/// for kinds without a structure.
std::optional<NcclEstimate> nccl_quickest(const NcclSystem& system, CollectiveKind kind, Bytes bytes,
                                          const NcclFilter& filter = {},
                                          const NcclConstants& constants = prior_nccl_constants());

}  // namespace mlsim::costs
