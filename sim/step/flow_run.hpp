// A `FlowRun` simulates a step whose exchanges are flows on one network; measured ones take their known time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/process/activity.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/namespace.hpp"
#include "sim/step/lone_exchanges.hpp"
#include "sim/step/rank_classes.hpp"
#include "sim/step/raw_outcome.hpp"
#include "sim/step/step.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// Counts the flows that a run moves: of exchanges that run alone and carry as much, those of one.
std::uint64_t flows_to_move(const StepSchedule& schedule, const RankClasses& classes);

class FlowRun {
 public:
  /// The schedule, the classes and the plans of `inputs` must outlive the run.
  FlowRun(const StepSchedule& schedule, const RankClasses& classes, const StepInputs& inputs, Engine engine);

  /// Throws std::runtime_error where a rank cannot finish.
  RawOutcome outcome();

 private:
  void join(std::size_t vertex, std::uint32_t rank_class, Seconds when);
  void synchronise(std::size_t vertex, Seconds when);
  void begin(std::size_t vertex, int round, std::uint32_t rank_class);
  void leave(std::size_t vertex, int round, std::uint32_t rank_class);
  std::shared_ptr<PlacedProgram::Run> run_of(std::size_t vertex, int round);
  void end(std::size_t vertex, std::uint32_t rank_class, Seconds when);
  void end_those_known();

  struct Synchronisation {
    std::size_t joined = 0;
    Seconds last;
  };
  // The end of an exchange that runs alone is known as it begins.
  struct KnownEnd {
    std::size_t vertex = 0;
    std::uint32_t rank_class = 0;
    Seconds when;
  };
  using Round = std::pair<std::size_t, int>;  // of a vertex

  Activity activity_{"simulating the step"};
  const StepSchedule& schedule_;
  const std::vector<RankClass>& classes_;
  ClassesOfRoles members_;
  const PlannedExchanges& plans_;
  Seconds call_;  // passes before each exchange of a rank, as a library's own time
  LoneExchanges lone_;
  std::vector<KnownEnd> known_;                              // not told to the step yet
  std::map<std::size_t, Synchronisation> synchronisations_;  // by vertex
  std::unique_ptr<FlowNetwork> network_;
  std::map<ExchangeKey, std::unique_ptr<PlacedProgram>> placed_;
  std::map<Round, std::shared_ptr<PlacedProgram::Run>> runs_;
  std::map<Round, Seconds> begun_;  // of those that run alone
  StepRun step_;
};

}  // namespace mlsim::sim
