#include "sim/collectives/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"

namespace mlsim::sim {

namespace {

struct Candidate {
  Schedule schedule;
  ScheduleCost cost;
  Seconds time;
  Seconds latency;  // time of an empty payload
};

void set_chunks(Schedule& schedule, int chunks) {
  for (Lane& lane : schedule.lanes)
    for (Phase& phase : lane.phases)
      for (PhaseGroup& group : phase.groups) group.chunks = chunks;
}

Candidate evaluate(const std::string& algorithm, const RankLayout& layout, CollectiveKind kind, Bytes bytes,
                   HopTable& hops, int copies = 1) {
  const auto elements = static_cast<std::uint64_t>(std::ceil(std::max(0.0, bytes.value)));
  Schedule schedule = build_schedule(algorithm, {hops.cluster(), kind, elements, 1, &layout, copies});
  ScheduleCost cost(schedule, hops);
  if (const int chunks = cost.best_chunks(bytes); chunks > 1) {
    set_chunks(schedule, chunks);
    cost = ScheduleCost(schedule, hops);
  }
  const Seconds time = cost.time(bytes), latency = cost.time(Bytes(0));
  return {std::move(schedule), std::move(cost), time, latency};
}

bool is_structured(const std::string& algorithm) { return traits_of(algorithm).structured; }

// Beyond a thousand ranks an algorithm that ignores the system's structure is not worth costing where another follows
// it.
bool is_hopeless(const std::string& algorithm, const RankLayout& layout, bool structure_helps) {
  constexpr std::size_t kMostFlatRanks = 1024;
  const AlgorithmTraits& traits = traits_of(algorithm);
  if (traits.worth_costing != nullptr && !traits.worth_costing(layout)) return true;
  const std::size_t ranks = layout.groups.size() * static_cast<std::size_t>(layout.group_size());
  return structure_helps && !traits.structured && ranks > kMostFlatRanks;
}

// A quick search leaves these out.
bool is_second_choice(const std::string& algorithm, const RankLayout& layout, bool structure_helps) {
  const AlgorithmTraits& traits = traits_of(algorithm);
  if (traits.is_second_choice != nullptr && traits.is_second_choice(layout)) return true;
  return structure_helps && !traits.structured;
}

std::vector<std::string> candidates(const RankLayout& layout, CollectiveKind kind, Search search, int copies) {
  std::vector<std::string> names = possible_algorithms(layout, kind, copies);
  const bool structure_helps = std::any_of(names.begin(), names.end(), is_structured);
  std::erase_if(names, [&](const std::string& name) {
    return is_hopeless(name, layout, structure_helps) ||
           (search == Search::quick && is_second_choice(name, layout, structure_helps));
  });
  return names;
}

// Formulas cannot tell times this near apart, so that the plainer algorithm, which stands earlier, is taken.
constexpr double kMargin = 1.05;

// Writes "ring would take 1.90x".
Statement comparison(const Candidate& other, const Candidate& chosen) {
  Statement said(named("other", other.schedule.algorithm), " would take ");
  if (chosen.time <= Seconds(0)) {
    said.add("as long");
  } else {
    const double factor = other.time / chosen.time;
    said.add(NamedQuantity{"other_takes", "1", factor, fmt::format("{:.{}f}x", factor, factor < 10 ? 2 : 0)});
  }
  return said;
}

Statement choice_reason(const Candidate& chosen, const Candidate* other, CollectiveKind kind) {
  if (other == nullptr) return {"the only algorithm for ", named("collective", name(kind)), " here"};
  const bool close = chosen.time <= kMargin * other->time && other->time <= kMargin * chosen.time;
  const char* const why = close                                ? "the plainest of those about as quick"
                          : 2.0 * chosen.latency > chosen.time ? "the least latency"
                                                               : "the least traffic on the slowest link";
  return {why, "; ", comparison(*other, chosen)};
}

Statement forced_reason(const Candidate& forced, const Candidate* other) {
  if (other == nullptr) return "forced; nothing else was worth costing";
  return {"forced; ", comparison(*other, forced)};
}

const Candidate* quickest(const std::vector<Candidate>& candidates, const Candidate* without) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (&candidate != without && (best == nullptr || candidate.time < best->time)) best = &candidate;
  }
  return best;
}

Candidate& plainest(std::vector<Candidate>& candidates) {
  const Seconds limit = kMargin * quickest(candidates, nullptr)->time;
  return *std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.time <= limit; });
}

}  // namespace

Seconds closed_form_time(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                         Bytes bytes) {
  HopTable hops(cluster, efficiency);
  return ScheduleCost(schedule, hops).time(bytes);
}

PlannedCollective cost_collective(const std::string& algorithm, CollectiveKind kind, Bytes bytes, HopTable& hops) {
  Candidate only = evaluate(algorithm, whole_layout(hops.cluster()), kind, bytes, hops);
  return {std::move(only.schedule), "nothing else was costed", only.time, std::move(only.cost)};
}

PlannedCollective plan_in_groups(const RankLayout& layout, CollectiveKind kind, Bytes bytes, HopTable& hops,
                                 const std::optional<std::string>& forced, Search search, int copies) {
  const Activity activity("choosing how to exchange");
  std::vector<Candidate> tried;
  if (forced) tried.push_back(evaluate(*forced, layout, kind, bytes, hops, copies));
  for (const std::string& name : candidates(layout, kind, search, copies)) {
    if (name != forced) tried.push_back(evaluate(name, layout, kind, bytes, hops, copies));
  }
  Candidate& chosen = forced ? tried.front() : plainest(tried);
  const Candidate* const other = quickest(tried, &chosen);
  Statement reason = forced ? forced_reason(chosen, other) : choice_reason(chosen, other, kind);
  if (layout.group_size() == 1) reason = "a single rank has nothing to exchange";
  return {std::move(chosen.schedule), std::move(reason), chosen.time, std::move(chosen.cost)};
}

std::optional<PlannedCollective> plan_alike(const RankLayout& layout, CollectiveKind kind, Bytes bytes, HopTable& hops,
                                            int copies, const ScheduleChoice& choice) {
  if (!is_possible(choice.algorithm, layout, kind, copies)) return std::nullopt;
  Candidate same = evaluate(choice.algorithm, layout, kind, bytes, hops, copies);
  if (same.cost != choice.cost) return std::nullopt;
  return PlannedCollective{std::move(same.schedule), choice.reason, same.time, std::move(same.cost)};
}

PlannedCollective plan_collective(const Cluster& cluster, CollectiveKind kind, Bytes bytes,
                                  const LinkEfficiency& efficiency, const std::optional<std::string>& forced) {
  HopTable hops(cluster, efficiency);
  return plan_in_groups(whole_layout(cluster), kind, bytes, hops, forced);
}

}  // namespace mlsim::sim
