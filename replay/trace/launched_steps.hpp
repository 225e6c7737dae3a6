// LaunchedSteps say which step asked for which of the accelerator's work, and what each step took of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "replay/trace/gathered_events.hpp"
#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

struct LaunchedSteps {
  std::vector<std::optional<std::size_t>> step_of;  // by work: index of its step; empty where none asked for it
  std::size_t left_over = 0;                        // work without a launch, from before the recording
};

/// Gives work to the step in whose window it was launched, and sets the steps' times from the ends of their work.
/// `steps` have windows and stand in order. Work whose launch the file lacks is nobody's where it begins before the
/// first launched work of its stream, and else belongs to the step of the launched work before it; on a stream without
/// launches to the step that the accelerator is at, and in a file without any to the host's window.
LaunchedSteps launched_steps(std::vector<RecordedStep>& steps, const GatheredEvents& all);

}  // namespace mlsim::replay
