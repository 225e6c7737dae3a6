#include "sim/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/links/link_efficiency.hpp"

namespace mlsim::sim {
namespace {

constexpr double kRounding = 1e-9;  // of sums of the same times in another order
constexpr const char* kLaunches = "kernel launches";
constexpr const char* kContention = "contention between ranks";
constexpr const char* kLongestSamples = "waiting for the longest samples";
constexpr const char* kExchangeBeside = "exchange beside kernels";
constexpr const char* kOffload = "copies to and from the host";
constexpr const char* kSlowRanks = "waiting for slow ranks";
constexpr const char* kHost = "host and framework";
constexpr const char* kInput = "input";
constexpr const char* kOptimizer = "optimizer";
constexpr const char* kWaiting = "waiting";

const char* stretched_by(const CostedStep& step) {
  if (step.plan().options.exchange.overlap_slowdown > 0) return kExchangeBeside;
  return step.cost().offload_wait() > Seconds(0) ? kOffload : kLaunches;
}

class Sum {
 public:
  Sum(const CostedStep& step, const std::vector<Resource>& resources,
      const std::vector<std::unique_ptr<const CostedStep>>& more)
      : step_(step),
        stretched_by_(stretched_by(step)),
        duration_(step.cost().durations()),
        resources_(resources),
        more_(more) {}

  void add(const PathStep& step) {
    const Seconds time = step.end - step.begin;
    if (!step.vertex) return add(kWaiting, time);
    const StepNode& node = (*step_.lowered().graph)[*step.vertex];
    if (is_exchange(node)) return add_exchange(*step.vertex, time);
    if (!is_compute(node)) return add_host(*step.vertex, time);
    add_kernel(*step.vertex, time);
  }

  std::vector<ResourceShare> shares() const {
    std::vector<ResourceShare> shares;
    for (const auto& [resource, time] : sums_) {
      if (time.value != 0) shares.push_back({resource, time});
    }
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
    return shares;
  }

 private:
  void add(const std::string& resource, Seconds time) { sums_[resource] += time; }

  // Returns how much of the vertex's undisturbed time depends on resource i.
  Seconds term(std::size_t vertex, std::size_t i) const {
    const Seconds saved = step_.cost().undisturbed(vertex) - more_[i]->cost().undisturbed(vertex);
    return max(Seconds(0), saved * (kLittleMore / (kLittleMore - 1)));
  }

  void add_exchange(std::size_t vertex, Seconds time) {
    std::vector<Seconds> terms(resources_.size());
    Seconds all;
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      if (!resources_[i].of_kernels) all += terms[i] = term(vertex, i);
    }
    if (all.value <= 0) return add(kWaiting, time);
    for (std::size_t i = 0; i < resources_.size(); ++i) add(resources_[i].name, terms[i] * (time / all));
  }

  void add_host(std::size_t vertex, Seconds time) {
    const bool input = (*step_.lowered().graph)[vertex].part == StepPart::input;
    const Seconds framework = input ? min(step_.cost().framework_time(), time) : time;
    add(kHost, framework);
    add(kInput, time - framework);
  }

  void add_kernel(std::size_t vertex, Seconds time) {
    const Seconds nominal = duration_[vertex];
    if (time > nominal * (1 + kRounding)) add(kSlowRanks, time - nominal);
    Seconds left = min(time, nominal);
    if ((*step_.lowered().graph)[vertex].part == StepPart::optimizer) return add(kOptimizer, left);
    // Factors are taken from the outermost inwards.
    const auto take = [&](const char* cause, double factor) {
      if (factor <= 1) return;
      add(cause, left * (1 - 1 / factor));
      left /= factor;
    };
    const Seconds alone = step_.cost().undisturbed(vertex);
    if (alone.value <= 0) return;
    take(stretched_by_, nominal / (alone * step_.cost().skew_factor(vertex) * step_.cost().contention_factor(vertex)));
    take(kLongestSamples, step_.cost().skew_factor(vertex));
    take(kContention, step_.cost().contention_factor(vertex));
    Seconds rest = left;
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      if (!resources_[i].of_kernels) continue;
      const Seconds part = min(rest, term(vertex, i) * (left / alone));
      add(resources_[i].name, part);
      rest -= part;
    }
    add(kLaunches, rest);
  }

  const CostedStep& step_;
  const char* stretched_by_;  // what kernels stretch for beyond what other ranks make of them
  std::vector<Seconds> duration_;
  const std::vector<Resource>& resources_;
  const std::vector<std::unique_ptr<const CostedStep>>& more_;
  std::map<std::string, Seconds> sums_;
};

Resource resource(std::string name, bool of_kernels) { return {std::move(name), of_kernels, {}}; }

}  // namespace

std::vector<Resource> resources_of(const Cluster& cluster, const LinkEfficiency& efficiency) {
  std::vector<Resource> all{resource("matrix units", true), resource("memory bandwidth", true)};
  all[0].more.compute = all[1].more.memory = kLittleMore;
  if (cluster.ranks() < 2) return all;
  std::set<LinkKind> kinds;
  for (LinkIndex i = 0; i < cluster.links(); ++i) kinds.insert(cluster.link(i).kind);
  for (const LinkKind kind : kinds) {
    const auto at = static_cast<std::size_t>(kind);
    all.push_back(resource(fmt::format("{} bandwidth", link_kind_name(kind)), false));
    all.back().more.bandwidth[at] = kLittleMore;
    all.push_back(resource(fmt::format("{} latency", link_kind_name(kind)), false));
    all.back().more.latency[at] = 1 / kLittleMore;
  }
  if (efficiency.call.value > 0) {
    all.push_back(resource("calls of collectives", false));
    all.back().more.call = 1 / kLittleMore;
  }
  return all;
}

std::vector<ResourceShare> resource_shares(const CostedStep& step, const std::vector<Resource>& resources,
                                           const std::vector<std::unique_ptr<const CostedStep>>& more,
                                           const std::vector<PathStep>& path) {
  Sum sum(step, resources, more);
  for (const PathStep& each : path) sum.add(each);
  return sum.shares();
}

}  // namespace mlsim::sim
