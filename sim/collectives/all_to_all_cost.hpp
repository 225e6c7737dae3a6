// An all-to-all between the ranks of one group without its n^2 messages: what every link carries of them.
#pragma once

#include <cstdint>
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

/// Latency: between nodes the alphas of one rank's messages one after another. On a grid messages do not wait for one
/// another on their way (GShard, arXiv:2006.16668, section 5.3: O(sqrt D) where latency binds, too): starting them one
/// after another and the longest way once.
///
/// In O(ranks * longer side) on a grid where the ranks are a product of columns and rows, and in O(ranks * ranks of a
/// node + leaf switches^2) on nodes; O(ranks^2 * route) elsewhere.
///
/// Exact where no link has failed: on a grid routes go along X and then along Y, and between nodes each rank has one
/// way up to its leaf switch and one down. With a failed link on a grid it is exact for up to 256 ranks; beyond, all of
/// its messages take the one way round between its ends, while routes spread over several: up to 1.6 times the load.
AllToAllLoad all_to_all_load(HopTable& hops, const std::vector<int>& ranks);

}  // namespace mlsim::sim
