// expected_run() says how long a job takes that fails and starts again, with or without checkpoints, and its spread.
//
// Failures come at a constant rate, also during a restart. After each a restart takes its time and the work since the
// last checkpoint is done again. With mean time between failures M, work W, interval tau, checkpoint C and restart R:
//   wall = M e^(R/M) (e^((tau + C)/M) - 1) W/tau            (Daly, Future Generation Computer Systems 22, 2006)
// Without checkpoints tau = W and C = 0; with R = 0 that is (e^(LW) - 1)/L at the rate L = 1/M.
#pragma once

#include <optional>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

struct Checkpoints {
  Seconds interval;  // work between two checkpoints
  Seconds cost;      // the job stands still
};

struct Failures {
  PerSecond rate;  // failures of the whole allocation; 0: none
  Seconds restart;
};

/// The interval is Daly's higher-order optimum: sqrt(2CM)(1 + sqrt(C/2M)/3 + C/18M) - C below C = 2M, else M. `rate`
/// must be above 0.
Seconds best_checkpoint_interval(Seconds cost, PerSecond rate);

struct ExpectedRun {
  Seconds wall;            // mean
  Seconds checkpoint;      // in writing the checkpoints that count
  Seconds lost;            // work done again, checkpoints begun in vain, restarts
  double checkpoints = 0;  // written, W/tau
  double failures = 0;     // mean
  double log_spread = 0;   // one sigma of the logarithm of the wall time
};

/// Empty `checkpoints` mean that none are written. Throws Infeasible where the job would take over 1000 times its work,
/// which is never.
ExpectedRun expected_run(Seconds work, const std::optional<Checkpoints>& checkpoints, const Failures& failures);

}  // namespace mlsim::sim
