// NcclConstants say what NCCL's all-reduces reach of the hardware, for the structure of costs/nccl_structure.hpp.
#pragma once

#include <array>

#include "core/profile/kernel_law.hpp"
#include "core/units.hpp"

namespace mlsim::costs {

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

}  // namespace mlsim::costs
