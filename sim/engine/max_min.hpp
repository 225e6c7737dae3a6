// Progressive filling finds the max-min fair rates of flows over shared links.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A problem is a set of flows that share links. Links are numbered 0 .. capacity.size()-1, and flow f crosses
/// links[offset[f]] .. links[offset[f + 1] - 1], at least one and each at most once.
struct MaxMinProblem {
  std::vector<double> capacity;
  std::vector<std::uint32_t> offset{0};
  std::vector<std::uint32_t> links;
};

/// Returns each flow's max-min fair rate (Bertsekas & Gallager, Data Networks, 1992, 6.5.2): the link with the smallest
/// share per flow is filled first, its flows leave with that share, and so on. O((flows x path + links) log links).
std::vector<double> max_min_rates(const MaxMinProblem& problem);

}  // namespace mlsim::sim
