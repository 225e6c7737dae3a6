#include "sim/fold/folded_program.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "sim/fold/placed_schedule.hpp"
#include "sim/fold/program_builder.hpp"
#include "sim/fold/refinement.hpp"

namespace mlsim::sim {
namespace {

constexpr std::uint64_t kLargest = 1u << 31;  // products of two stay within 64 bits

struct Ratio {
  std::uint64_t over = 0, under = 1;  // 0: not known yet
  bool operator==(const Ratio&) const = default;
};

Ratio reduced(std::uint64_t over, std::uint64_t under) {
  const std::uint64_t divisor = std::gcd(over, under);
  return {over / divisor, under / divisor};
}

bool too_large(const Ratio& ratio) { return ratio.over >= kLargest || ratio.under >= kLargest; }

// A component holds numbers that fit together, for all flow classes that share links directly or through others.
class Component {
 public:
  Component(std::uint32_t flow_classes, std::uint32_t link_classes, const std::vector<Multiplicity>& multiplicities)
      : copies(flow_classes), capacity(link_classes), by_flow_(flow_classes), by_link_(link_classes) {
    for (const Multiplicity& m : multiplicities) {
      by_flow_[m.flow].push_back(&m);
      by_link_[m.link].push_back(&m);
    }
  }

  /// Returns false where the numbers contradict each other. `members` receives the flow classes.
  bool spread(std::uint32_t first, std::vector<std::uint32_t>& members) {
    copies[first] = {1, 1};
    members.assign(1, first);
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const Multiplicity* at : by_flow_[members[i]]) {
        const Ratio scale = reduced(copies[at->flow].over, copies[at->flow].under * at->count);
        if (too_large(scale)) return false;
        if (capacity[at->link].over != 0) {
          if (capacity[at->link] != scale) return false;
          continue;
        }
        capacity[at->link] = scale;
        for (const Multiplicity* other : by_link_[at->link]) {
          const Ratio needed = reduced(scale.over * other->count, scale.under);
          if (too_large(needed)) return false;
          if (copies[other->flow].over == 0) {
            copies[other->flow] = needed;
            members.push_back(other->flow);
          } else if (copies[other->flow] != needed) {
            return false;
          }
        }
      }
    return true;
  }

  std::vector<Ratio> copies, capacity;

 private:
  std::vector<std::vector<const Multiplicity*>> by_flow_, by_link_;
};

constexpr std::uint32_t kNoClass = ~0u;

// Colours are numbered in the order in which they are met.
class ClassNumbers {
 public:
  std::uint32_t operator()(Colour colour) {
    return numbers_.try_emplace(colour, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::uint32_t find(Colour colour) const { return numbers_.at(colour); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<Colour, std::uint32_t> numbers_;
};

struct GroupClass {
  std::uint32_t example = 0;                 // group of the stage
  std::vector<std::uint32_t> flow_examples;  // hop of the example group, one for each of its flow classes
  std::vector<std::uint32_t> flow_classes;
};

class Quotient {
 public:
  Quotient(const PlacedSchedule& placement, const Refinement& colours) : placement_(placement), colours_(colours) {
    link_class_.assign(placement.capacity.size(), kNoClass);
    is_example_.assign(placement.capacity.size(), false);
    for (std::size_t s = 0; s < placement.stages.size(); ++s) find_group_classes(s);
    for (std::size_t s = 0; s < placement.stages.size(); ++s) count_multiplicities(s);
  }

  /// Returns false where no quotient exists.
  bool build(FoldedProgram& folded) {
    std::vector<Multiplicity> multiplicities;
    for (const auto& [key, count] : counts_)
      multiplicities.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), count});
    std::sort(multiplicities.begin(), multiplicities.end(), [](const Multiplicity& a, const Multiplicity& b) {
      return a.link != b.link ? a.link < b.link : a.flow < b.flow;
    });
    const auto scale =
        quotient_scale(flow_numbers_.count(), static_cast<std::uint32_t>(examples_.size()), multiplicities, flows_);
    if (!scale) return false;
    FlowProgram& program = folded.program;
    number_ranks(folded);
    for (std::size_t l = 0; l < examples_.size(); ++l)
      program.links.push_back(placement_.capacity[examples_[l]] * scale->capacity[l]);
    LaneBuilder builder(program, placement_.lanes);
    for (std::size_t s = 0; s < placement_.stages.size(); ++s) {
      const PlacedStage& stage = placement_.stages[s];
      builder.begin_phase(stage.lane, stage.name);
      for (const GroupClass& group : groups_[s]) {
        std::vector<std::uint32_t> classes;
        for (const std::uint32_t rank : stage.members_of(stage.groups[group.example]))
          classes.push_back(folded.rank_class[rank]);
        builder.add_group(std::move(classes), flows_of(stage, group, *scale));
      }
      builder.end_phase();
    }
    return true;
  }

 private:
  void find_group_classes(std::size_t s) {
    const PlacedStage& stage = placement_.stages[s];
    std::vector<GroupClass>& found = groups_.emplace_back();
    ClassNumbers numbers;
    for (std::uint32_t g = 0; g < stage.groups.size(); ++g) {
      flows_ += stage.groups[g].hops;
      if (numbers(colours_.group[s][g]) < found.size()) continue;
      found.push_back({g, {}, {}});
      for (std::uint32_t i = 0; i < stage.groups[g].hops; ++i) {
        const std::uint32_t known = flow_numbers_.count();
        const std::uint32_t flow = flow_numbers_(colours_.flow(placement_, s, g, i));
        if (flow < known) continue;
        found.back().flow_examples.push_back(i);
        found.back().flow_classes.push_back(flow);
        for (const std::uint32_t link : placement_.links_of(stage.groups[g].first_hop + i)) number_link(link);
      }
    }
  }

  void number_link(std::uint32_t link) {
    const std::uint32_t known = link_numbers_.count();
    link_class_[link] = link_numbers_(colours_.link[link]);
    if (link_class_[link] < known) return;
    examples_.push_back(link);
    is_example_[link] = true;
  }

  void count_multiplicities(std::size_t s) {
    const PlacedStage& stage = placement_.stages[s];
    for (std::size_t g = 0; g < stage.groups.size(); ++g)
      for (std::uint32_t i = 0; i < stage.groups[g].hops; ++i)
        for (const std::uint32_t link : placement_.links_of(stage.groups[g].first_hop + i))
          if (is_example_[link]) {
            const std::uint64_t flow = flow_numbers_.find(colours_.flow(placement_, s, g, i));
            ++counts_[(static_cast<std::uint64_t>(link_class_[link]) << 32) | flow];
          }
  }

  void number_ranks(FoldedProgram& folded) const {
    ClassNumbers numbers;
    folded.rank_class.reserve(placement_.ranks);
    for (const Colour rank : colours_.rank) folded.rank_class.push_back(numbers(rank));
    folded.program.rank_classes = numbers.count();
    folded.program.class_size.assign(numbers.count(), 0);
    for (const std::uint32_t c : folded.rank_class) ++folded.program.class_size[c];
  }

  std::vector<ProgramFlow> flows_of(const PlacedStage& stage, const GroupClass& group,
                                    const QuotientScale& scale) const {
    const PlacedGroup& example = stage.groups[group.example];
    std::vector<ProgramFlow> flows;
    for (std::size_t k = 0; k < group.flow_examples.size(); ++k) {
      const std::uint32_t i = group.flow_examples[k];
      ProgramFlow flow = placement_.flow_without_links(stage, example, i);
      for (const std::uint32_t link : placement_.links_of(example.first_hop + i))
        flow.links.push_back(link_class_[link]);
      std::sort(flow.links.begin(), flow.links.end());
      flow.links.erase(std::unique(flow.links.begin(), flow.links.end()), flow.links.end());
      flows.insert(flows.end(), scale.copies[group.flow_classes[k]], flow);
    }
    return flows;
  }

  const PlacedSchedule& placement_;
  const Refinement& colours_;
  std::uint64_t flows_ = 0;
  ClassNumbers flow_numbers_, link_numbers_;
  std::vector<std::vector<GroupClass>> groups_;  // by stage
  std::vector<std::uint32_t> link_class_;        // by link on an example's route
  std::vector<bool> is_example_;
  std::vector<std::uint32_t> examples_;                      // a link of each class
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;  // (link class, flow class) -> flows on the example
};

}  // namespace

std::optional<QuotientScale> quotient_scale(std::uint32_t flow_classes, std::uint32_t link_classes,
                                            const std::vector<Multiplicity>& multiplicities,
                                            std::uint64_t most_copies) {
  Component component(flow_classes, link_classes, multiplicities);
  QuotientScale result{std::vector<std::uint64_t>(flow_classes), std::vector<double>(link_classes, 1)};
  std::uint64_t total = 0;
  std::vector<std::uint32_t> members;
  for (std::uint32_t first = 0; first < flow_classes; ++first) {
    if (component.copies[first].over != 0) continue;
    if (!component.spread(first, members)) return {};
    std::uint64_t under = 1, over = 0;
    for (const std::uint32_t flow : members) {
      under = std::lcm(under, component.copies[flow].under);
      if (under >= kLargest) return {};
    }
    for (const std::uint32_t flow : members)
      over = std::gcd(over, component.copies[flow].over * (under / component.copies[flow].under));
    for (const std::uint32_t flow : members) {
      const Ratio& copies = component.copies[flow];
      result.copies[flow] = copies.over * (under / copies.under) / over;
      total += result.copies[flow];
      if (total > most_copies) return {};
    }
  }
  // Capacities follow from the copies as they are now scaled.
  for (const Multiplicity& m : multiplicities)
    result.capacity[m.link] = static_cast<double>(result.copies[m.flow]) / static_cast<double>(m.count);
  return result;
}

FoldedProgram folded_program(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                             const std::vector<std::uint32_t>& initial) {
  const PlacedSchedule placement = place(schedule, cluster, efficiency);
  FoldedProgram folded;
  if (Quotient(placement, refine(placement, initial)).build(folded)) return folded;
  folded.program = unfolded_program(placement);
  folded.rank_class.resize(placement.ranks);
  std::iota(folded.rank_class.begin(), folded.rank_class.end(), 0u);
  folded.folded = false;
  return folded;
}

}  // namespace mlsim::sim
