// A communicator is the communication library between the nodes of a system, and what it reaches of their network.
#pragma once

#include <string>

#include "core/units.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Names the library `asked` (`--set communicator=`), or where none is asked for the usual one: NCCL on GPUs, Gloo on
/// processors, as PyTorch has them; empty on other accelerators.
std::string communicator(const Cluster& cluster, const std::string& asked);

/// Gives what a collective reaches of the cluster's links with the library of communicator(cluster, asked), for
/// elements of `element` bytes. Links inside a node stay as in fitted_links(), but for PCIe where peers have no access
/// (Cluster::through_host); so does the NIC where the machine's file says nothing of the library that would be taken
/// anyway.
///
/// A library that adds up 16-bit elements on the host spends (N-1)/N of a sum an element beside the 2(N-1)/N of a
/// ring's bytes on the wire, which is a lower rate of the wire by the same factor: 1/rate + sum / (2 element).
///
/// Where the library was measured between two nodes of the machine, the NIC's share is that of the largest payloads
/// (1 / beta of the last segment) and the time of a message that of the smallest (alpha of the first), less what the
/// links themselves take.
///
/// Throws InputError where nothing is known of the asked library on this machine, with those that are known.
LinkEfficiency communicator_links(const Cluster& cluster, const std::string& asked, Bytes element,
                                  const MeasuredCollectives& measured = {});

/// Throws Infeasible where the asked library cannot add up elements of `element` bytes, with what can: MPI's smallest
/// floating-point type has four, on processors and on GPUs alike.
void check_sums(const Cluster& cluster, const std::string& asked, Bytes element,
                const MeasuredCollectives& measured = {});

}  // namespace mlsim::sim
