#include "validation/scores/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/asking.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::validation {
namespace {

std::string hardware_of(const Case& c) {
  return fmt::format("{} | {} | {}", machine_family(c.topology), c.workload, c.precision ? name(*c.precision) : "");
}

double throughput(const Case& anchor) {
  return anchor.metric == Metric::step_time ? *anchor.global_batch / anchor.value : anchor.value;
}

// The efficiency is this share of linear, whatever the size: the constant of the audit of these rows, which is to be
// beaten.
constexpr double kConstantEfficiency = 0.97;

double samples_each(const Case& c) { return *c.global_batch / c.accelerators; }

Seconds step_of(const Case& c) { return Seconds(c.metric == Metric::step_time ? c.value : *c.global_batch / c.value); }

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

Baselines::NetworkSize Baselines::network_size(const std::string& workload) {
  const auto [entry, fresh] = networks_.try_emplace(workload);
  if (!fresh) return entry->second;
  try {
    const Model model = load_model(workload);
    entry->second = {double(model.parameters()), double(model.layers.size())};
  } catch (const InputError&) {
  }
  return entry->second;
}

BytesPerSecond Baselines::ring_bandwidth(const std::string& topology, int accelerators) {
  const auto [entry, fresh] = rings_.try_emplace({topology, accelerators});
  if (!fresh) return entry->second;
  try {
    const Cluster cluster = build_cluster(topology, accelerators);
    entry->second = cluster.injection;
    if (cluster.nodes > 1 && cluster.node_network < cluster.injection) entry->second = cluster.node_network;
  } catch (const InputError&) {
  } catch (const Infeasible&) {
  }
  return entry->second;
}

Seconds Baselines::ring_time(const Case& c) {
  const BytesPerSecond bandwidth = ring_bandwidth(c.topology, c.accelerators);
  if (c.accelerators < 2 || !(bandwidth > BytesPerSecond(0))) return Seconds(0);
  const Bytes element = c.precision ? element_size(*c.precision) : Bytes(4);
  const double ranks = c.accelerators;
  return element * network_size(c.workload).parameters * (2 * (ranks - 1) / ranks) / bandwidth;
}

// Each layer has a forward kernel and two backward ones.
Seconds Baselines::fixed_time(const Case& anchor, const SharedList<Profile>& profiles) {
  constexpr double kKernelsOfLayer = 3;
  const std::string accelerator = traits_.chip(anchor.topology).name, &stack = anchor.options.software.stack;
  const StackTerm* nearest = nullptr;
  for (const Profile& profile : profiles) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks)
      if (stack.starts_with(term.stack) && (nearest == nullptr || term.stack.size() > nearest->stack.size()))
        nearest = &term;
  }
  if (nearest == nullptr) return Seconds(0);
  return nearest->step_overhead +
         (nearest->dispatch + nearest->per_kernel) * (kKernelsOfLayer * network_size(anchor.workload).layers);
}

Seconds Baselines::three_terms(const Case& c, const Case& anchor, const SharedList<Profile>& profiles) {
  const Seconds measured = step_of(anchor) - ring_time(anchor);
  const Seconds fixed = std::min(fixed_time(anchor, profiles), 0.9 * measured, [](auto a, auto b) { return a < b; });
  return (measured - fixed) * (samples_each(c) / samples_each(anchor)) + fixed + ring_time(c);
}

BaselineAnswers Baselines::of(const Case& c, const Case* base, const std::vector<Case>& cases,
                              const SharedList<Profile>& profiles) {
  const auto linear = linear_baseline(c, base, cases);
  BaselineAnswers answers{linear, std::nullopt, std::nullopt};
  const bool rate = c.metric == Metric::throughput;
  const Case* anchor = rate || c.metric == Metric::step_time ? family_anchor(c, cases) : nullptr;
  if (!linear || anchor == nullptr) return answers;
  const double kept = c.accelerators > anchor->accelerators ? kConstantEfficiency : 1;
  const Seconds step = three_terms(c, *anchor, profiles);
  answers[static_cast<std::size_t>(Baseline::constant)] = rate ? *linear * kept : *linear / kept;
  answers[static_cast<std::size_t>(Baseline::three_term)] = rate ? *c.global_batch / step.value : step.value;
  return answers;
}

}  // namespace mlsim::validation
