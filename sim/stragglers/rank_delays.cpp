#include "sim/stragglers/rank_delays.hpp"

#include <algorithm>

#include "core/splitmix.hpp"
#include "core/text/units_text.hpp"
#include "topologies/cluster/place.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

std::uint64_t drawn(std::uint64_t state, std::uint64_t value) { return splitmix(state + kSplitmixStep * (value + 1)); }

constexpr double kSlowestChip = 0.1;  // a normal tail that reaches 0 would be a chip that stands still

}  // namespace

double draw(std::uint64_t seed, DrawFor purpose, std::uint64_t step, std::uint64_t index) {
  const std::uint64_t bits = drawn(drawn(drawn(drawn(0, seed), static_cast<std::uint64_t>(purpose)), step), index);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

RankDelays::RankDelays(const StragglerOptions& options, std::uint64_t seed, const Cluster& cluster)
    : options_(options), seed_(seed), host_(rank_hosts(cluster)) {
  for (int rank = 0; rank < cluster.ranks(); ++rank) {
    double speed = 1;
    if (options.speed_spread > 0) {
      const double share = draw(seed, DrawFor::chip_speed, 0, static_cast<std::uint64_t>(rank));
      speed = std::max(kSlowestChip, 1 + options.speed_spread * normal_quantile(share));
    }
    chip_.push_back(1 / (speed * cluster.speed(rank)));
  }
}

std::vector<RankDelay> RankDelays::of_step(int step) const {
  const auto at = static_cast<std::uint64_t>(step);
  std::vector<RankDelay> ranks(chip_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].slowdown = chip_[rank];
    if (options_.jitter.shape != JitterShape::none)
      ranks[rank].slowdown *= options_.jitter.factor(draw(seed_, DrawFor::jitter, at, rank));
  }
  if (options_.input_skew.shape == InputSkewShape::none) return ranks;
  std::vector<Seconds> delay;  // by host
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(host_[rank]);
    while (delay.size() <= host)
      delay.push_back(options_.input_skew.delay(draw(seed_, DrawFor::input, at, delay.size())));
    ranks[rank].input = delay[host];
  }
  return ranks;
}

}  // namespace mlsim::sim
