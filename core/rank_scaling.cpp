#include "core/rank_scaling.hpp"

namespace mlsim {

std::string_view name(RankScaling::Latency latency) { return latency == RankScaling::Latency::ring ? "ring" : "log2"; }

}  // namespace mlsim
