#include "sim/mesh/communicator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/machine/machine_file.hpp"

namespace mlsim::sim {
namespace {

// PyTorch recommends NCCL for GPUs, Gloo for processors (pytorch.org/docs/stable/distributed.html, "Which backend to
// use?").
std::string usual_library(const Cluster& cluster) {
  if (!cluster.accelerator.library.empty()) return cluster.accelerator.library;
  if (cluster.accelerator.family == AcceleratorFamily::gpu) return "nccl";
  return cluster.accelerator.family == AcceleratorFamily::cpu ? "gloo" : "";
}

// These libraries may be asked for: those of the machine's file, those measured there, and the usual one of GPUs, whose
// links were fitted.
std::vector<std::string> known_libraries(const Cluster& cluster, const MeasuredCollectives& measured) {
  const auto timed = measured.libraries();
  std::vector<std::string> known;
  for (const auto& name : library_names()) {
    const bool fitted = name == usual_library(cluster) && cluster.accelerator.family == AcceleratorFamily::gpu;
    if (fitted || cluster.network.contains(name) || std::find(timed.begin(), timed.end(), name) != timed.end())
      known.push_back(name);
  }
  return known;
}

void check_known(const Cluster& cluster, const std::string& asked, const MeasuredCollectives& measured) {
  const auto known = known_libraries(cluster, measured);
  if (std::find(known.begin(), known.end(), asked) != known.end()) return;
  const std::string machine = cluster.machine.empty() ? "this machine" : cluster.machine;
  if (asked == "nccl" && cluster.accelerator.family == AcceleratorFamily::cpu && !known.empty())
    throw InputError("--set communicator=nccl",
                     fmt::format("NCCL exchanges tensors on GPUs alone, and {} computes on processors; known there: {}",
                                 machine, fmt::join(known, ", ")));
  throw InputError(fmt::format("--set communicator={}", asked),
                   known.empty() ? fmt::format("{} chooses no communication library", machine)
                                 : fmt::format("nothing is known of {} between nodes of {}; known there: {}", asked,
                                               machine, fmt::join(known, ", ")));
}

// Gives what collectives find on a node's links. Where the driver denies peers access, each message is written to the
// host's memory and read from there.
LinkEfficiency links_inside(const Cluster& cluster) {
  LinkEfficiency links = fitted_links();
  const BytesPerSecond rate = through_host_rate(cluster);
  if (rate.value <= 0) return links;
  LinkEfficiency::Entry& pcie = links[LinkKind::pcie];
  pcie.share = std::min(pcie.share, rate / line_rate(cluster, LinkKind::pcie));
  pcie.source = cluster.through_host.source;
  return links;
}

// Gives the share that is left where every byte on the wire brings `sum / (2 element)` of adding up.
double share_beside_sums(double share, BytesPerSecond line, Seconds sum, Bytes element) {
  const double wire = 1 / (share * line.value), adding = sum.value / (2 * element.value);
  return 1 / ((wire + adding) * line.value);
}

// A curve that tells no latency takes that of `usual`.
LinkEfficiency::Entry measured_nic(const CollectiveCurve& curve, const Cluster& cluster,
                                   const LinkEfficiency::Entry& usual) {
  const AlphaBetaSegment &smallest = curve.segments.front(), &largest = curve.segments.back();
  const Seconds of_links = route(cluster, 0, cluster.ranks() - 1).latency;
  const double share = largest.beta > 0 ? 1 / (largest.beta * line_rate(cluster, LinkKind::nic).value) : 1;
  return {share, tells_latency(curve) ? max(Seconds(0), smallest.alpha - of_links) : usual.message, curve.source};
}

}  // namespace

std::string communicator(const Cluster& cluster, const std::string& asked) {
  return asked.empty() ? usual_library(cluster) : asked;
}

void check_sums(const Cluster& cluster, const std::string& asked, Bytes element, const MeasuredCollectives& measured) {
  constexpr double kLeastMpiFloat = 4;  // bytes of MPI_FLOAT
  if (asked != "mpi" || element >= Bytes(kLeastMpiFloat) || cluster.ranks() < 2) return;
  std::vector<std::string> others = known_libraries(cluster, measured);
  std::erase(others, asked);
  throw Infeasible(fmt::format(
      "MPI has no floating-point type of {} bits and so adds up none (MPI 4.1, 3.2.2); {}--precision fp32 would do",
      8 * static_cast<int>(element.value),
      others.empty() ? "" : fmt::format("--set communicator={} or ", fmt::join(others, " or communicator="))));
}

LinkEfficiency communicator_links(const Cluster& cluster, const std::string& asked, Bytes element,
                                  const MeasuredCollectives& measured) {
  if (!asked.empty()) check_known(cluster, asked, measured);
  LinkEfficiency links = links_inside(cluster);
  if (cluster.nodes < 2) return links;
  const std::string library = communicator(cluster, asked);
  const CollectiveCurve* curve = measured.point_to_point(library, element);
  const auto found = cluster.network.find(library);
  LinkEfficiency::Entry& nic = links[LinkKind::nic];
  if (found != cluster.network.end())
    nic = {found->second.share.value, found->second.message.value, found->second.share.source};
  if (curve != nullptr) nic = measured_nic(*curve, cluster, nic);
  if (curve != nullptr || found != cluster.network.end()) links.communicator = library;
  if (curve != nullptr || found == cluster.network.end()) return links;
  const LibraryNetwork& network = found->second;
  if (network.sum_16 && element == Bytes(2))
    nic.share = share_beside_sums(nic.share, line_rate(cluster, LinkKind::nic), network.sum_16->value, element);
  if (network.call) links.call = network.call->value;
  return links;
}

}  // namespace mlsim::sim
