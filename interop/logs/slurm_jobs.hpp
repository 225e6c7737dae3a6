// SlurmJobs are what Slurm's accounting says of a cluster's jobs, and how often its machines fail or are taken away.
#pragma once

#include <cstdint>
#include <string>

#include "interop/namespace.hpp"

namespace mlsim::interop {

/// An EventRate counts the events seen in some hours of exposure.
struct EventRate {
  std::uint64_t events = 0;
  double hours = 0;

  double per_hour() const { return static_cast<double>(events) / hours; }
  /// These are the ends, an hour, of the exact 90 % interval of a Poisson count (Garwood 1936). Without an event the
  /// lower end is 0 and the upper one is what would have shown an event in 95 of 100 such times, 3.0 / hours.
  double lower() const;
  double upper() const;
  /// Returns the rate itself, or without an event its upper end: nothing seen is no rate of 0.
  double cautious() const { return events > 0 ? per_hour() : upper(); }
};

struct SlurmJobs {
  std::uint64_t jobs = 0, without_accelerators = 0;  // tries that ran; the latter are counted in no rate
  EventRate failures;                                // NODE_FAIL, an accelerator-hour
  EventRate preemptions;                             // PREEMPTED, a machine-hour
};

/// Reads the text that `sacct -P -D -o JobID,State,NNodes,AllocTRES,ElapsedRaw,Start,End,ExitCode` prints, in any order
/// of columns; `file` is for errors. Steps of jobs ("123.batch") are not counted again; each try of a job that was
/// requeued counts (-D). Throws InputError with the line where a column is missing or a field is wrong, and where no
/// job ran on accelerators.
SlurmJobs slurm_jobs(const std::string& text, const std::string& file);

}  // namespace mlsim::interop
