#include "sim/plan/question_hops.hpp"

#include <algorithm>

namespace mlsim::sim {

namespace {

// A call's cost and who measured the links do not matter to a hop.
bool same_hops(const LinkEfficiency& a, const LinkEfficiency& b) {
  return std::equal(a.by_kind.begin(), a.by_kind.end(), b.by_kind.begin(),
                    [](const LinkEfficiency::Entry& x, const LinkEfficiency::Entry& y) {
                      return x.share == y.share && x.message == y.message;
                    });
}

}  // namespace

MeshTable& QuestionHops::on(const std::shared_ptr<const Cluster>& cluster, const LinkEfficiency& efficiency) {
  const auto known = std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) {
    return table.cluster == cluster && same_hops(table.efficiency, efficiency);
  });
  if (known != tables_.end()) return *known->meshes;
  tables_.push_back({cluster, efficiency, std::make_shared<MeshTable>(*cluster, efficiency)});
  return *tables_.back().meshes;
}

}  // namespace mlsim::sim
