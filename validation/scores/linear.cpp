#include "validation/scores/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/evidence/run_traits.hpp"

namespace mlsim::validation {
namespace {

std::string hardware_of(const Case& c) {
  return fmt::format("{} | {} | {}", machine_family(c.topology), c.workload, c.precision ? name(*c.precision) : "");
}

double throughput(const Case& anchor) {
  return anchor.metric == Metric::step_time ? *anchor.global_batch / anchor.value : anchor.value;
}

}  // namespace

SystemFamily family_of(const Case& c) {
  const ServerOptions& servers = c.options.software.servers;
  return {hardware_of(c), c.options.software.stack, c.options.input.data, servers.update, servers.device};
}

const Case* family_anchor(const Case& c, const std::vector<Case>& cases) {
  const SystemFamily family = family_of(c);
  const auto nearness = [&](const Case& a) {
    return std::tuple(family_of(a) != family, a.source != c.source, a.accelerators, -a.global_batch.value_or(0));
  };
  const Case* best = nullptr;
  for (const Case& a : cases) {
    if (a.role != Role::anchor || a.workload != c.workload || hardware_of(a) != family.hardware) continue;
    if (best == nullptr || nearness(a) < nearness(*best)) best = &a;
  }
  return best;
}

std::optional<double> linear_baseline(const Case& c, const Case* base, const std::vector<Case>& cases) {
  if (c.metric == Metric::scaling_efficiency) return 1.0;
  if (c.metric == Metric::speedup)
    return static_cast<double>(c.accelerators) / (base != nullptr ? base->accelerators : 1);
  if (c.metric != Metric::throughput && c.metric != Metric::step_time) return std::nullopt;
  const Case* anchor = family_anchor(c, cases);
  if (anchor == nullptr || !c.global_batch) return std::nullopt;
  const double rate = throughput(*anchor) / anchor->accelerators * c.accelerators;
  return c.metric == Metric::throughput ? rate : *c.global_batch / rate;
}

}  // namespace mlsim::validation
