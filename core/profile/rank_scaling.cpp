#include "core/profile/rank_scaling.hpp"

namespace mlsim {

const Words<RankScaling::Latency>& words(RankScaling::Latency) {
  static const Words<RankScaling::Latency> table{"form of latency", {"ring", "log2"}};
  return table;
}

}  // namespace mlsim
