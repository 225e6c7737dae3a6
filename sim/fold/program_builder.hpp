// A `LaneBuilder` puts groups into a FlowProgram: who waits for whom follows from the rank classes in each group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fold/flow_program.hpp"
#include "sim/fold/placed_schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

FlowProgram unfolded_program(const PlacedSchedule& placement);

/// Fills `lanes` and `ends` of a program whose rank_classes are set, phase by phase, lane by lane.
///
/// A class that has no group in a phase gets one without flows that passes it on, so that every phase of a lane holds
/// every class and a group waits for the phase before it only.
class LaneBuilder {
 public:
  LaneBuilder(FlowProgram& program, std::uint32_t lanes);
  void begin_phase(std::uint32_t lane, const std::string& name);
  /// `classes` need not be sorted or distinct; a class may be in several groups of a phase.
  void add_group(std::vector<std::uint32_t> classes, std::vector<ProgramFlow> flows);
  void end_phase();

 private:
  FlowProgram& program_;
  std::uint32_t lane_ = 0;
  std::vector<std::vector<std::uint32_t>> before_, now_;  // class -> its groups in the phase before and in this one
};

}  // namespace mlsim::sim
