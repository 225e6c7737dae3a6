// An `AllToAllLoad` is what every link carries of an all-to-all in one group of ranks, without its n^2 messages.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

struct LinkMessages {
  LinkIndex link = 0;
  double messages = 0;  // of the n (n-1) between ordered pairs of ranks
};

struct AllToAllLoad {
  std::vector<LinkMessages> links;  // ascending, those that carry any
  Seconds latency;                  // of the rank with most, as all_to_all_load() says
};

/// The latency is the longest way once, as all messages are under way together: NCCL's groups of sends and receives run
/// 256 peers at once (src/enqueue.cc, scheduleP2pTasksToPlan), MPI's are posted without waiting, and on a grid messages
/// do not wait for one another either (GShard, arXiv:2006.16668, section 5.3: O(sqrt D) where latency binds, too). What
/// is serial is their start: between nodes three requests a message to the NIC, of 1 or 2 us (network_request()) or as
/// much as the links' software takes where that is less. On NVSwitches messages from one node to one accelerator go
/// together (NCCL 2.12's PXN; HugeCTR's IB_NVLink_Hier does the same).
///
/// It takes O(ranks * longest side) on a grid where the ranks fill a box, O(ranks * ranks of a node + leaf switches^2)
/// on nodes; O(ranks^2 * route) elsewhere.
///
/// The load is exact where no link has failed: on a grid routes go along X, then along Y, ..., and between nodes each
/// rank has one way up to its leaf switch and one down. With a failed link on a grid it is exact for up to 256 ranks;
/// beyond, all of its messages take the one way round between its ends, while routes spread over several: up to 1.6
/// times the load.
AllToAllLoad all_to_all_load(HopTable& hops, const std::vector<int>& ranks);

}  // namespace mlsim::sim
