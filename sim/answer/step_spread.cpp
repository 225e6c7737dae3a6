#include "sim/answer/step_spread.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/exchange/planned_exchange.hpp"

namespace mlsim::sim {
namespace {

// Gives the share of exposed communication that was measured, with the spread of its curves.
SpreadPart measured_exchange(const LoweredPlan& lowered) {
  Seconds all, measured, spread;
  for (auto [v, end] = boost::vertices(lowered.graph); v != end; ++v) {
    const StepNode& node = lowered.graph[*v];
    if (!is_exchange(node)) continue;
    const PlannedExchange& planned = lowered.collectives.at(key_of(node));
    const Seconds time = node.repeats * planned.time(node.payload);
    all += time;
    const std::optional<double> log_spread = planned.log_spread(node.payload);
    if (!log_spread) continue;
    measured += time;
    spread += time * *log_spread;
  }
  return measured.value > 0 ? SpreadPart{measured / all, spread / measured} : SpreadPart{};
}

}  // namespace

double combined_spread(const std::vector<SpreadPart>& parts, double least) {
  double squares = 0;
  for (const SpreadPart& part : parts) squares += std::pow(part.share * part.log_spread, 2);
  return std::max(least, std::sqrt(squares));
}

double step_spread(const StepBreakdown& step, const StepCost& cost, const LoweredPlan& lowered, double fallback) {
  if (step.time.value <= 0) return fallback;
  std::vector<SpreadPart> parts;
  double rest = 1;
  const auto add = [&](double share, double log_spread) {
    if (share <= 0) return;
    parts.push_back({share, log_spread});
    rest -= share;
  };
  const double kernels = (step.compute + step.optimizer) / step.time;
  const auto shares = cost.basis_shares();
  for (const CostBasis basis : {CostBasis::measured, CostBasis::law, CostBasis::transferred}) {
    const auto& each = shares[static_cast<std::size_t>(basis)];
    add(kernels * each.share, each.log_spread);
  }
  const SpreadPart exchange = measured_exchange(lowered);
  add(step.exposed_communication / step.time * exchange.share, exchange.log_spread);
  if (parts.empty()) return fallback;
  parts.push_back({std::max(0.0, rest), fallback});
  return combined_spread(parts, kLeastMeasuredSpread);
}

}  // namespace mlsim::sim
