// A `PlacedProgram` runs a FlowProgram on a FlowNetwork, once for each collective of a simulated step that takes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/process/activity.hpp"
#include "core/units.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A placed program adds its links and paths to a network once, for every collective that runs on it.
class PlacedProgram {
 public:
  /// `activity`, where there is one, counts the flows that end.
  PlacedProgram(FlowNetwork& network, const FlowProgram& program, Activity* activity = nullptr);
  ~PlacedProgram();
  PlacedProgram(const PlacedProgram&) = delete;
  PlacedProgram& operator=(const PlacedProgram&) = delete;

  /// A run is one collective of `payload` bytes. Call arrive(c) once for each rank class, at the simulated time when
  /// that class joins; `left(c)` is called when class c has its result. The run stays alive until it has ended.
  class Run {
   public:
    virtual ~Run() = default;
    virtual void arrive(std::uint32_t rank_class) = 0;
    /// Names in one sentence what has not ended and what it waits for, for the error after run(); empty when all has.
    virtual std::string unfinished() const = 0;
  };
  std::shared_ptr<Run> start(Bytes payload, std::function<void(std::uint32_t rank_class)> left);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mlsim::sim
