// A RankScaling is the time of one collective as a function of its ranks, fitted to several numbers of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/collective.hpp"
#include "core/profile/collective_curve.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/profile/provenance.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// The time of a collective grows with its ranks N; per segment it is
///  time = fixed + l(N) alpha + 2 (N-1)/N beta payload      (all-reduce; others: (N-1)/N, broadcast: 1)
/// with l(N) = 2 (N-1) of a ring or log2 N of a tree (halving and doubling). A library that takes a tree for small
/// payloads and a ring for larger ones has l(N) = log2 N below `tree_below`, and that of `latency` from there on.
struct RankScaling {
  enum class Latency { ring, log2 };
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string communicator, device = "cpu";
  Precision precision = Precision::fp32;
  std::string machine;
  int ranks_per_node = 1;
  std::vector<int> nodes;  // numbers of nodes that it was fitted to
  Latency latency = Latency::ring;
  std::optional<Bytes> tree_below = {};  // empty: one algorithm for all payloads
  Seconds fixed;
  std::vector<AlphaBetaSegment> segments;
  FitError residual, held_back;  // held back: the largest number of ranks
  Source source;
  bool operator==(const RankScaling&) const = default;
};

inline Words<RankScaling::Latency> words(RankScaling::Latency) { return {"form of latency", {"ring", "log2"}}; }

}  // namespace mlsim
