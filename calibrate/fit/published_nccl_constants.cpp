#include "calibrate/fit/published_nccl_constants.hpp"

namespace mlsim::calibrate {

// tests/calibrate/fit/nccl_fit_test.cpp fits them again.
const NcclConstants& published_nccl_constants() {
  static const NcclConstants constants = [] {
    NcclConstants k;
    k.ring = 0.857;
    k.tree = 0.747;
    k.nvls_hopper = 0.680;
    k.nvls_blackwell = 0.60;  // no sweep: the prior
    k.nvls_rack = 0.5025;
    k.nvls_latency = 24.8;
    k.nvls_rack_latency = 529;
    k.nvls_tree_crossing = 15.4;
    k.pcie = 0.594;
    k.pcie_latency = 1.81;
    k.short_latency = 1.073;
    k.simple_latency = 0.729;
    k.short_fill = 0.32;
    k.fill_bytes = mebibytes(67.8);
    // InfiniBand, RoCE, EFA, EFA of 2019, TCPXO, sockets (no sweep: the share is the prior).
    k.networks = {{{0.947, 7.03, 0.852},
                   {0.92, 7.03, 0.852},
                   {0.884, 57.8, 2.26},
                   {0.758, 57.8, 2.26},
                   {0.872, 57.8, 2.26},
                   {0.84, 57.8, 2.26}}};
    return k;
  }();
  return constants;
}

}  // namespace mlsim::calibrate
