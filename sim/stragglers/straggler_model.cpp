#include "sim/stragglers/straggler_model.hpp"

#include <algorithm>

#include "core/units_text.hpp"
#include "sim/stragglers/draw.hpp"
#include "topologies/rank_hosts.hpp"
#include "workloads/convergence/run_distribution.hpp"

namespace mlsim::sim {
namespace {

constexpr double kSlowestChip = 0.1;  // a normal tail that reaches 0 would be a chip that stands still

}  // namespace

bool StragglerModel::random() const {
  return speed_spread > 0 || jitter.shape != JitterShape::none || input_skew.shape != InputSkewShape::none;
}

StragglerModel straggler_model(const Settings& settings, std::uint64_t seed) {
  StragglerModel model;
  model.seed = seed;
  if (const auto spread = setting(settings, "speed_spread"); !spread.empty()) model.speed_spread = parse_number(spread);
  if (const auto jitter = setting(settings, "jitter"); !jitter.empty()) model.jitter = parse_jitter(jitter);
  if (const auto skew = setting(settings, "input_skew"); !skew.empty()) model.input_skew = parse_input_skew(skew);
  if (const auto steps = setting(settings, "straggler_steps"); !steps.empty()) model.steps = parse_count(steps);
  return model;
}

RankDelays::RankDelays(const StragglerModel& model, const Cluster& cluster)
    : model_(model), host_(rank_hosts(cluster)) {
  for (int rank = 0; rank < cluster.ranks(); ++rank) {
    double speed = 1;
    if (model.speed_spread > 0) {
      const double share = draw(model.seed, DrawFor::chip_speed, 0, static_cast<std::uint64_t>(rank));
      speed = std::max(kSlowestChip, 1 + model.speed_spread * normal_quantile(share));
    }
    chip_.push_back(1 / (speed * cluster.speed(rank)));
  }
}

std::vector<RankDelay> RankDelays::of_step(int step) const {
  const auto at = static_cast<std::uint64_t>(step);
  std::vector<RankDelay> ranks(chip_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].slowdown = chip_[rank];
    if (model_.jitter.shape != JitterShape::none)
      ranks[rank].slowdown *= model_.jitter.factor(draw(model_.seed, DrawFor::jitter, at, rank));
  }
  if (model_.input_skew.shape == InputSkewShape::none) return ranks;
  std::vector<Seconds> delay;  // by host
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(host_[rank]);
    while (delay.size() <= host)
      delay.push_back(model_.input_skew.delay(draw(model_.seed, DrawFor::input, at, delay.size())));
    ranks[rank].input = delay[host];
  }
  return ranks;
}

}  // namespace mlsim::sim
