// `LoneExchanges` are those of a step that share their links with no other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/units.hpp"
#include "sim/exchange/exchange_key.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// Each key's exchanges have links of their own (program_run.hpp). They run alone where one class of ranks has them, one
/// after the other on one stream. Those of one payload then take the same time, so that the first is moved for all.
class LoneExchanges {
 public:
  LoneExchanges(const StepSchedule& schedule, const std::vector<RankClass>& classes);

  bool has(const StepNode& node) const { return alone_.contains(key_of(node)); }
  /// Gives the time of one repetition; empty where none has been moved yet.
  std::optional<Seconds> time(const StepNode& node) const;
  void learn(const StepNode& node, Seconds time) { times_.emplace(alike(node), time); }

 private:
  using Alike = std::pair<ExchangeKey, double>;  // with the bytes of the payload
  static Alike alike(const StepNode& node) { return {key_of(node), node.payload.value}; }

  std::set<ExchangeKey> alone_;
  std::map<Alike, Seconds> times_;
};

}  // namespace mlsim::sim
