// What the user says of a job besides its model and machine: clock, evaluations, checkpoints, failures, billing.
#pragma once

#include <optional>

#include "core/provenance.hpp"
#include "core/settings.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/options/settings.hpp"
#include "topologies/billing.hpp"

namespace mlsim::sim {

enum class ClockRule { mlperf, wall };  // wall: initialisation is on the clock too
enum class CheckpointRule { off, on, automatic };

struct JobRules {
  ClockRule clock = ClockRule::mlperf;
  bool evaluate = true;
  std::optional<PerSecond> throughput;  // measured by the user
  Billing billing = Billing::second;
  Sourced<Seconds> teardown;

  CheckpointRule checkpoint = CheckpointRule::automatic;  // automatic: on where something may fail
  std::optional<Seconds> checkpoint_interval;             // empty: the best
  std::optional<Sourced<BytesPerSecond>> checkpoint_bandwidth;

  bool failures = false;
  Sourced<Seconds> time_between_failures;  // time between failures of one accelerator
  Sourced<Seconds> restart;
  bool preemptible = false;
  double preemptions_per_vm_hour = 0;
};

/// From settings that check_settings has passed.
JobRules job_rules(const Settings& settings);

/// Assumed where nothing says how fast checkpoints are written.
Sourced<BytesPerSecond> usual_checkpoint_bandwidth();

}  // namespace mlsim::sim
