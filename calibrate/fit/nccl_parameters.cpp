#include "calibrate/fit/nccl_parameters.hpp"

#include <algorithm>
#include <cmath>

namespace mlsim::calibrate {
namespace {

NcclConstants::Network& network(NcclConstants& k, NodeNetwork kind) {
  return k.networks[static_cast<std::size_t>(kind)];
}

std::vector<double*> of_networks(NcclConstants& k, const std::vector<NodeNetwork>& kinds,
                                 double NcclConstants::Network::*field) {
  std::vector<double*> parts;
  for (const NodeNetwork kind : kinds) parts.push_back(&(network(k, kind).*field));
  return parts;
}

std::vector<double*> crossings(NcclConstants& k, const std::vector<NodeNetwork>& kinds) {
  std::vector<double*> parts;
  for (const NodeNetwork kind : kinds) parts.push_back(&network(k, kind).crossing.value);
  return parts;
}

using enum NodeNetwork;
using Net = NcclConstants::Network;

// RDMA fabrics share their crossing and fill, and so do the clouds' own transports.
const std::vector<NodeNetwork> kRdma{infiniband, roce};
const std::vector<NodeNetwork> kCloud{efa, efa_2019, tcpxo, sockets};

}  // namespace

const std::vector<NcclParameter>& nccl_parameters() {
  // Widths are a tenth for shares of NVLink and of NICs that repeat between systems, and more where one system alone
  // speaks for the constant or fits that leave one out spread wider (costs/nccl_structure.cpp has the ranges).
  static const std::vector<NcclParameter> all{
      {0.1, [](NcclConstants& k) { return std::vector{&k.ring}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.tree}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.nvls_hopper}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.nvls_blackwell}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.nvls_rack}; }},
      {0.3, [](NcclConstants& k) { return std::vector{&k.nvls_latency.value}; }},
      {0.5, [](NcclConstants& k) { return std::vector{&k.nvls_rack_latency.value}; }},
      {0.3, [](NcclConstants& k) { return std::vector{&k.nvls_tree_crossing.value}; }},
      {0.4, [](NcclConstants& k) { return std::vector{&k.pcie}; }},
      {0.4, [](NcclConstants& k) { return std::vector{&k.pcie_latency}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.short_latency}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.simple_latency}; }},
      {0.5, [](NcclConstants& k) { return std::vector{&k.short_fill}; }, true},
      {0.5, [](NcclConstants& k) { return std::vector{&k.fill_bytes.value}; }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {infiniband}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {roce}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {efa}, &Net::share); }},
      {0.2, [](NcclConstants& k) { return of_networks(k, {efa_2019}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {tcpxo}, &Net::share); }},
      {0.3, [](NcclConstants& k) { return of_networks(k, {sockets}, &Net::share); }},
      {0.5, [](NcclConstants& k) { return crossings(k, kRdma); }},
      {0.5, [](NcclConstants& k) { return crossings(k, kCloud); }},
      {0.4, [](NcclConstants& k) { return of_networks(k, kRdma, &Net::fill); }},
      {0.4, [](NcclConstants& k) { return of_networks(k, kCloud, &Net::fill); }}};
  return all;
}

NcclConstants scaled(NcclConstants prior, const std::vector<double>& at) {
  const auto& parameters = nccl_parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double by = parameters[i].width * at[i];
    for (double* const constant : parameters[i].constants(prior))
      *constant = parameters[i].shifted ? std::max(0.0, *constant + by) : *constant * std::exp(by);
  }
  return prior;
}

}  // namespace mlsim::calibrate
