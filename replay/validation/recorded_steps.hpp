// Recorded steps are kept as a table: what of a profiler's trace a replay needs, small enough to be kept beside its
// figures.
//
// The table is a CSV file with these columns, in any order; times are in us, on one clock for all ranks:
//
//   rank            of the job, from 0
//   kind            step (the host's window), compute, copy, fill or collective; before: what a stream did last in the
//                   step before
//   stream          of the accelerator
//   launch_us, call_us   when the host asked for it, and what asking took; empty where that is not known
//   begin_us, time_us
//   name            of the kernel, may be empty; of a step the accelerator's
//   collective, payload_bytes   its kind ("all-reduce"), and the larger of its buffers where that is known
//   ranks           of the collective's group; of a step those of the job
//   least_us        of a collective the least of its like in all steps that were recorded
#pragma once

#include <string>
#include <string_view>

#include "replay/namespace.hpp"
#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {

/// Throws InputError with file, line, column and the nearest right word.
RecordedRun parse_recorded_steps(std::string_view text, const std::string& file);

}  // namespace mlsim::replay
