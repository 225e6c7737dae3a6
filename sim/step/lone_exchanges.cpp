#include "sim/step/lone_exchanges.hpp"

namespace mlsim::sim {

LoneExchanges::LoneExchanges(const StepSchedule& schedule, const std::vector<RankClass>& classes) {
  const ClassesOfRoles members(classes);
  std::map<ExchangeKey, Stream> stream;  // of the first of each key
  std::set<ExchangeKey> shared;
  for (const std::size_t vertex : schedule.open()) {
    const StepNode& node = schedule.node(vertex);
    if (!is_exchange(node)) continue;
    const auto [first, fresh] = stream.try_emplace(key_of(node), node.stream);
    const bool in_turn = node.kind == NodeKind::collective && first->second == node.stream;
    if (!in_turn || members.of(node.role).size() > 1) shared.insert(first->first);
  }
  for (const auto& [key, on] : stream)
    if (!shared.contains(key)) alone_.insert(key);
}

std::optional<Seconds> LoneExchanges::time(const StepNode& node) const {
  const auto known = times_.find(alike(node));
  return known == times_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace mlsim::sim
