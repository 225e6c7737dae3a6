// WorkerTimes say how long each rank takes for its own part of each step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "replay/diagnosis/diagnosis.hpp"
#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {

/// The times stand by step, then by rank.
using TimesOfSteps = std::vector<std::vector<Seconds>>;

struct WorkerTimes {
  std::string file;
  std::vector<int> numbers;        // of the ranks
  std::vector<std::string> hosts;  // of each rank; empty where it is not said
  TimesOfSteps own;                // without waiting for other ranks
  TimesOfSteps input, exchange;    // empty where it is not said; exchange without waiting for other ranks, too
  std::vector<std::string> notes;  // on what was recorded
  std::vector<Arrival> arrivals;   // in collectives, where these were recorded

  std::size_t ranks() const { return own.front().size(); }
};

/// Reads a table with the columns step, rank and own_s (or own_ms, own_us), and, if known, host, input_s and exchange_s
/// in a unit of theirs. Throws InputError with file and line for columns and figures that are none of these, times
/// below 0, own times of 0, a rank that stands twice in a step or is missing, and fewer than two ranks.
WorkerTimes parse_worker_times(std::string_view text, const std::string& file);

/// Takes the times from a recorded run: steps without the time in which a rank does nothing but communicate. Steps that
/// not all ranks recorded are left out. Throws InputError where there are fewer than two ranks or no step of all.
WorkerTimes worker_times(const RecordedRun& run);

/// Finds slow ranks, slow hosts, late input, and, where exchanges are told, slow links.
Diagnosis diagnosis(const WorkerTimes& times);

}  // namespace mlsim::replay
