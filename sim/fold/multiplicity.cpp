#include "sim/fold/multiplicity.hpp"

#include <numeric>

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

}  // namespace mlsim::sim
