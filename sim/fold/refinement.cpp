#include "sim/fold/refinement.hpp"

#include <bit>

#include "core/process/activity.hpp"
#include "core/splitmix.hpp"

namespace mlsim::sim {
namespace {

// Mixing is half of all that folding does. At least one of the two is a colour, so that sums do not meet by accident.
inline Colour mixed(Colour a, Colour b) { return splitmix(a + kSplitmixStep + b * 3); }

// A figure counts to 12 digits, so that sums of the same latencies in another order are one figure.
Colour colour_of(double figure) {
  constexpr Colour kDropped = 1u << 12;
  return splitmix((std::bit_cast<Colour>(figure) + kDropped / 2) & ~(kDropped - 1));
}

// A ColourSet counts distinct colours; 0 is not a colour in practice.
class ColourSet {
 public:
  ColourSet() : slots_(1024, 0) {}
  void add(Colour colour) {
    std::size_t at = colour & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != colour) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at] == colour) return;
    slots_[at] = colour;
    if (++count_ * 2 > slots_.size()) grow();
  }
  std::size_t count() const { return count_; }

 private:
  void grow() {
    std::vector<Colour> old(slots_.size() * 2, 0);
    old.swap(slots_);
    count_ = 0;
    for (const Colour colour : old)
      if (colour != 0) add(colour);
  }
  std::vector<Colour> slots_;
  std::size_t count_ = 0;
};

Colour flow_figures(const PlacedSchedule& placement, const PlacedStage& stage, const PlacedGroup& group,
                    std::uint32_t i) {
  // Without waits the latency follows from the hop, whose colour holds it.
  const StageHop& hop = group.shape[i];
  const Colour pace = mixed(colour_of(group.share * hop.share), hop.rounds);
  if (group.waits == PlacedGroup::kNone) return pace;
  const ProgramFlow flow = placement.flow_without_links(stage, group, i);
  return mixed(mixed(colour_of(flow.share), colour_of(flow.latency.value)), colour_of(flow.lead.value));
}

class Refiner {
 public:
  Refiner(const PlacedSchedule& placement, const std::vector<std::uint32_t>& initial) : placement_(placement) {
    now_.rank.assign(placement.ranks, splitmix(0));
    for (std::size_t r = 0; r < initial.size() && r < now_.rank.size(); ++r) now_.rank[r] = splitmix(initial[r]);
    now_.link.reserve(placement.capacity.size());
    for (const BytesPerSecond capacity : placement.capacity) now_.link.push_back(colour_of(capacity.value));
    for (const PlacedStage& stage : placement.stages) now_.group.emplace_back(stage.groups.size(), 0);
    now_.hop.resize(placement.latency.size());
    link_sum_.resize(now_.link.size());
    for (const PlacedStage& stage : placement.stages) find_figures(stage);
    flow_in_group_.resize(figures_.size());
  }

  Refinement fixpoint() {
    const Activity activity("finding ranks that are alike");
    std::size_t before = 0;
    for (;;) {
      colour_hops();
      colour_groups();
      colour_links_and_ranks();
      ++now_.rounds;
      const std::size_t classes = count_classes();
      if (classes == before) return std::move(now_);
      before = classes;
    }
  }

 private:
  // Groups in one shape, with one share and the same waits, have the same figures.
  void find_figures(const PlacedStage& stage) {
    const PlacedGroup* before = nullptr;
    for (const PlacedGroup& group : stage.groups) {
      const bool same = before != nullptr && before->shape == group.shape && before->hops == group.hops &&
                        before->share == group.share && before->waits == group.waits;
      for (std::uint32_t i = 0; i < group.hops; ++i)
        figures_.push_back(same ? figures_[figures_.size() - group.hops] : flow_figures(placement_, stage, group, i));
      before = &group;
    }
  }

  void colour_hops() {
    for (std::uint32_t h = 0; h < now_.hop.size(); ++h) {
      if (const double latency = placement_.latency[h].value; latency != latency_) {
        latency_ = latency;
        latency_colour_ = colour_of(latency);
      }
      Colour sum = latency_colour_;
      for (const std::uint32_t link : placement_.links_of(h)) sum += now_.link[link];
      now_.hop[h] = splitmix(sum);
    }
  }

  void colour_groups() {
    std::size_t flow = 0;
    for (std::size_t s = 0; s < placement_.stages.size(); ++s) {
      const PlacedStage& stage = placement_.stages[s];
      for (std::size_t g = 0; g < stage.groups.size(); ++g) {
        const PlacedGroup& group = stage.groups[g];
        Colour flows = 0, members = 0;
        for (std::uint32_t i = 0; i < group.hops; ++i, ++flow)
          flows += flow_in_group_[flow] = mixed(figures_[flow], now_.hop[group.first_hop + i]);
        for (const std::uint32_t rank : stage.members_of(group)) members += now_.rank[rank];
        now_.group[s][g] = mixed(mixed(s, flows), members);
      }
    }
  }

  void colour_links_and_ranks() {
    std::fill(link_sum_.begin(), link_sum_.end(), 0);
    auto in_group = flow_in_group_.begin();
    for (std::size_t s = 0; s < placement_.stages.size(); ++s) {
      const PlacedStage& stage = placement_.stages[s];
      for (std::size_t g = 0; g < stage.groups.size(); ++g) {
        const PlacedGroup& group = stage.groups[g];
        for (std::uint32_t i = 0; i < group.hops; ++i) {
          const Colour flow = mixed(*in_group++, now_.group[s][g]);
          for (const std::uint32_t link : placement_.links_of(group.first_hop + i)) link_sum_[link] += flow;
        }
        // A rank has one group in a stage, and group colours know their stage: the order of addition tells nothing.
        for (const std::uint32_t rank : stage.members_of(group)) now_.rank[rank] += now_.group[s][g];
      }
    }
    for (std::size_t l = 0; l < link_sum_.size(); ++l) now_.link[l] = mixed(now_.link[l], link_sum_[l]);
    for (Colour& rank : now_.rank) rank = splitmix(rank);
  }

  std::size_t count_classes() const {
    ColourSet colours;  // the four kinds cannot share a colour but by accident
    for (const Colour rank : now_.rank) colours.add(rank);
    for (const Colour link : now_.link) colours.add(link);
    for (const auto& groups : now_.group)
      for (const Colour group : groups) colours.add(group);
    return colours.count();
  }

  const PlacedSchedule& placement_;
  Refinement now_;
  double latency_ = 0;  // of the hop before
  Colour latency_colour_ = colour_of(0);
  std::vector<Colour> link_sum_;
  std::vector<Colour> figures_;        // of every flow in turn
  std::vector<Colour> flow_in_group_;  // of every flow in turn, as this round's groups were coloured by
};

}  // namespace

Colour Refinement::flow_in_group(const PlacedSchedule& placement, const PlacedStage& stage, const PlacedGroup& group,
                                 std::uint32_t i) const {
  return mixed(flow_figures(placement, stage, group, i), hop[group.first_hop + i]);
}

Colour Refinement::flow(const PlacedSchedule& placement, std::size_t stage, std::size_t group_index,
                        std::uint32_t i) const {
  const PlacedStage& placed = placement.stages[stage];
  return mixed(flow_in_group(placement, placed, placed.groups[group_index], i), group[stage][group_index]);
}

Refinement refine(const PlacedSchedule& placement, const std::vector<std::uint32_t>& initial) {
  return Refiner(placement, initial).fixpoint();
}

}  // namespace mlsim::sim
