#include "sim/collectives/schedule_cost.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/collectives/all_to_all_cost.hpp"
#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

namespace {

bool pipelined(Pattern p) {
  return p == Pattern::tree_all_reduce || p == Pattern::tree_broadcast || p == Pattern::chain_broadcast;
}

// These patterns have the same flows: the way out of a ring or line is as long as the way in.
Pattern flow_pattern(Pattern p) {
  if (p == Pattern::ring_all_gather) return Pattern::ring_reduce_scatter;
  return p == Pattern::line_all_gather ? Pattern::line_reduce_scatter : p;
}

bool same_flows(const PhaseGroup& a, const PhaseGroup& b) {
  return flow_pattern(a.pattern) == flow_pattern(b.pattern) && a.data.size() == b.data.size() && a.chunks == b.chunks &&
         a.ranks == b.ranks;
}

// Says whether two phases, in all lanes, put the same flows on the links.
bool same_flows(const Schedule& schedule, std::size_t a, std::size_t b) {
  return std::all_of(schedule.lanes.begin(), schedule.lanes.end(), [&](const Lane& lane) {
    if (a >= lane.phases.size() || b >= lane.phases.size()) return false;
    const auto &left = lane.phases[a].groups, &right = lane.phases[b].groups;
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const PhaseGroup& x, const PhaseGroup& y) { return same_flows(x, y); });
  });
}

}  // namespace

// A `Builder` places the flows of one stage after the other on the links.
class ScheduleCost::Builder {
 public:
  Builder(const Schedule& schedule, HopTable& hops)
      : schedule_(schedule), hops_(hops), load_(hops.load()), stages_(schedule.lanes.size()) {}

  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { clear(); }

  /// Appends the stages of one phase to the lanes.
  void add_phase(std::size_t phase, std::vector<std::vector<Stage>>& lanes) {
    int count = 0;
    for (const Lane& lane : schedule_.lanes) {
      if (phase >= lane.phases.size()) continue;
      for (const PhaseGroup& group : lane.phases[phase].groups) count = std::max(count, stage_count(group));
    }
    for (int stage = 0; stage < count; ++stage) {
      stages_.assign(lanes.size(), {});
      place_phase(phase, stage);
      collect_costs();
      for (std::size_t l = 0; l < lanes.size(); ++l) lanes[l].push_back(std::move(stages_[l]));
    }
  }

 private:
  struct PlacedFlow {
    std::uint32_t first = 0, count = 0;  // links, by place in the hop table
    std::uint32_t lane = 0;
    double seconds = 0;  // alphas
  };

  // Groups with the same of these have the same flows, whichever part of the payload is theirs.
  struct FlowsOf {
    Pattern pattern = Pattern::point_to_point;
    std::size_t positions = 0;
    std::uint64_t elements = 0;
    int chunks = 0, stage = 0;
    bool operator==(const FlowsOf&) const = default;
  };

  void place_phase(std::size_t phase, int stage) {
    for (std::size_t l = 0; l < schedule_.lanes.size(); ++l) {
      if (phase >= schedule_.lanes[l].phases.size()) continue;
      for (const PhaseGroup& group : schedule_.lanes[l].phases[phase].groups) {
        if (group.ranks.size() < 2) continue;
        if (group.pattern == Pattern::pairwise_all_to_all) {
          place_all_to_all(group, static_cast<std::uint32_t>(l));
          continue;
        }
        if (pipelined(group.pattern)) stages_[l].fill = round_count(group) - group.chunks;
        place_group(group, stage, static_cast<std::uint32_t>(l));
      }
    }
  }

  void place_group(const PhaseGroup& group, int stage, std::uint32_t lane) {
    if (const FlowsOf of{group.pattern, group.ranks.size(), group.data.size(), group.chunks, stage}; of_ != of) {
      of_ = of;
      flows_.clear();
      pattern_rules(group.pattern).flows(shape_of(group), stage, flows_);
    }
    for (const NeighbourFlow& flow : flows_) {
      const HopTable::Hop hop = hops_.hop(group.ranks[flow.from], group.ranks[flow.to]);
      for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i) load_[hops_.link(i)] += flow.elements;
      placed_.push_back({hop.first, hop.count, lane, flow.rounds * hop.alpha.value});
    }
  }

  // Every link's load comes with the latency of the slowest rank.
  void place_all_to_all(const PhaseGroup& group, std::uint32_t lane) {
    const AllToAllLoad all = all_to_all_load(hops_, group.ranks);
    const double elements = static_cast<double>(group.data.size()) / static_cast<double>(group.ranks.size());
    for (const auto& [link, messages] : all.links) {
      load_[link] += messages * elements;
      placed_.push_back({hops_.place(link), 1, lane, all.latency.value});
    }
  }

  void collect_costs() {
    std::uint32_t lane = 0;
    Cost before{-1, 0};  // of the flow before: most are like it
    for (const PlacedFlow& flow : placed_) {
      Cost cost{flow.seconds, 0};
      for (std::uint32_t i = flow.first; i < flow.first + flow.count; ++i) {
        const LinkIndex link = hops_.link(i);
        cost.seconds_per_element = std::max(cost.seconds_per_element, load_[link] / hops_.rate(link).value);
      }
      if (flow.lane != lane || cost != before) add_cost(flow.lane, cost);
      lane = flow.lane;
      before = cost;
    }
    clear();
  }

  void clear() {
    for (const PlacedFlow& flow : placed_)
      for (std::uint32_t i = flow.first; i < flow.first + flow.count; ++i) load_[hops_.link(i)] = 0;
    placed_.clear();
  }

  // Only costs that no other exceeds in both terms count. Regular systems have a handful; looking back only so far
  // keeps irregular ones linear.
  void add_cost(std::size_t lane, const Cost& cost) {
    constexpr std::size_t kLookBack = 16;
    const auto exceeds = [](const Cost& a, const Cost& b) {
      return a.seconds >= b.seconds && a.seconds_per_element >= b.seconds_per_element;
    };
    auto& costs = stages_[lane].costs;
    const auto recent = costs.end() - static_cast<std::ptrdiff_t>(std::min(kLookBack, costs.size()));
    for (auto known = recent; known != costs.end(); ++known) {
      if (exceeds(*known, cost)) return;
      if (exceeds(cost, *known)) {
        *known = cost;
        return;
      }
    }
    costs.push_back(cost);
  }

  const Schedule& schedule_;
  HopTable& hops_;
  std::vector<double>& load_;  // elements by link, of the stage at work
  std::vector<Stage> stages_;
  std::vector<PlacedFlow> placed_;
  std::vector<NeighbourFlow> flows_;
  FlowsOf of_;  // of flows_
};

ScheduleCost::ScheduleCost(const Schedule& schedule, HopTable& hops)
    : elements_(schedule.elements), lanes_(schedule.lanes.size()) {
  std::size_t phases = 0;
  for (const Lane& lane : schedule.lanes) phases = std::max(phases, lane.phases.size());
  Builder builder(schedule, hops);
  std::vector<std::size_t> first_stage;  // of each phase, in every lane
  for (std::size_t phase = 0; phase < phases; ++phase) {
    first_stage.push_back(lanes_.front().size());
    std::optional<std::size_t> mirrored;
    for (std::size_t earlier = 0; earlier < phase && !mirrored; ++earlier) {
      if (same_flows(schedule, earlier, phase)) mirrored = earlier;
    }
    if (!mirrored) {
      builder.add_phase(phase, lanes_);
      continue;
    }
    for (auto& lane : lanes_) {
      for (std::size_t stage = first_stage[*mirrored]; stage < first_stage[*mirrored + 1]; ++stage)
        lane.push_back(Stage(lane[stage]));
    }
  }
}

double ScheduleCost::scale(Bytes bytes) const {
  return elements_ > 0 ? bytes.value / static_cast<double>(elements_) : 0.0;
}

ScheduleCost::Cost ScheduleCost::slowest(const Stage& stage, double scale) const {
  Cost worst;
  const auto total = [scale](const Cost& cost) { return cost.seconds + scale * cost.seconds_per_element; };
  for (const Cost& cost : stage.costs) {
    if (total(cost) > total(worst)) worst = cost;
  }
  return worst;
}

Seconds ScheduleCost::time(Bytes bytes) const {
  const double k = scale(bytes);
  double longest = 0;
  for (const auto& lane : lanes_) {
    double time = 0;
    for (const Stage& stage : lane) {
      const Cost cost = slowest(stage, k);
      time += cost.seconds + k * cost.seconds_per_element;
    }
    longest = std::max(longest, time);
  }
  return Seconds(longest);
}

int ScheduleCost::best_chunks(Bytes bytes) const {
  constexpr double kMost = 1024;
  double best = 1;
  for (const auto& lane : lanes_) {
    for (const Stage& stage : lane) {
      if (stage.fill == 0) continue;
      const Cost cost = slowest(stage, scale(bytes));
      const double payload_time = scale(bytes) * cost.seconds_per_element;
      const double limit = std::min(kMost, std::max(1.0, bytes.value));
      const double chunks = cost.seconds > 0 ? std::sqrt(stage.fill * payload_time / cost.seconds) : limit;
      best = std::max(best, std::min(limit, std::round(chunks)));
    }
  }
  return static_cast<int>(best);
}

}  // namespace mlsim::sim
