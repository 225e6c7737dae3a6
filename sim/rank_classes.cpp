#include "sim/rank_classes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mlsim {
namespace {

std::vector<std::uint32_t> classes_by_speed(const Cluster& cluster) {
  std::map<double, std::uint32_t> number;
  std::vector<std::uint32_t> classes(static_cast<std::size_t>(cluster.ranks()));
  for (int rank = 0; rank < cluster.ranks(); ++rank) {
    const auto next = static_cast<std::uint32_t>(number.size());
    classes[static_cast<std::size_t>(rank)] = number.try_emplace(cluster.speed(rank), next).first->second;
  }
  return classes;
}

std::uint32_t count(const std::vector<std::uint32_t>& classes) {
  return classes.empty() ? 0 : 1 + *std::max_element(classes.begin(), classes.end());
}

void describe(RankClasses& result, const Cluster& cluster, const std::vector<std::uint32_t>& classes) {
  result.speed.assign(count(classes), 1.0);
  result.size.assign(count(classes), 0);
  for (int rank = 0; rank < cluster.ranks(); ++rank) {
    const auto c = classes[static_cast<std::size_t>(rank)];
    result.speed[c] = cluster.speed(rank);
    ++result.size[c];
  }
}

RankClasses unfolded(const Cluster& cluster, const CollectivePlans& plans, const LinkEfficiency& efficiency,
                     bool programs) {
  RankClasses result;
  std::vector<std::uint32_t> own(static_cast<std::size_t>(cluster.ranks()));
  std::iota(own.begin(), own.end(), 0U);
  describe(result, cluster, own);
  if (programs) {
    for (const auto& [kind, plan] : plans) result.programs[kind] = unfolded_program(plan.schedule, cluster, efficiency);
  }
  return result;
}

}  // namespace

RankClasses rank_classes(const Cluster& cluster, const CollectivePlans& plans, const LinkEfficiency& efficiency,
                         Fidelity fidelity) {
  if (fidelity == Fidelity::fluid) return unfolded(cluster, plans, efficiency, true);
  if (fidelity == Fidelity::message) return unfolded(cluster, plans, efficiency, false);

  RankClasses result;
  std::vector<std::uint32_t> classes = classes_by_speed(cluster);
  if (fidelity == Fidelity::folded) {
    // Each program splits classes only, and numbers them by their first rank; they are common to all programs once a
    // round over all splits none.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [kind, plan] : plans) {
        FoldedProgram folded = folded_program(plan.schedule, cluster, efficiency, classes);
        if (!folded.folded) return unfolded(cluster, plans, efficiency, true);
        changed = changed || (count(folded.rank_class) != count(classes) && plans.size() > 1);
        classes = std::move(folded.rank_class);
        result.programs[kind] = std::move(folded.program);
      }
    }
  }
  describe(result, cluster, classes);
  return result;
}

}  // namespace mlsim
