// expected_run() says how long a job takes that fails and starts again, with or without checkpoints, and its spread.
//
// Failures come at a constant rate, also during a restart. After each a restart takes its time and the work since the
// last checkpoint is done again. With mean time between failures M, work W, interval tau, checkpoint C and restart R:
//   wall = M e^(R/M) (e^((tau + C)/M) - 1) W/tau            (Daly, Future Generation Computer Systems 22, 2006)
// Without checkpoints tau = W and C = 0; with R = 0 that is (e^(LW) - 1)/L at the rate L = 1/M. Where spare nodes run
// out, each failure waits w on average besides, in which nothing fails: (M + w) e^(R/M) instead of M e^(R/M).
#pragma once

#include <optional>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

struct Checkpoints {
  Seconds interval;  // work between two checkpoints
  Seconds cost;      // the job stands still
};

/// A node that is broken for good is replaced by a spare one. Where all spares are broken too, the job waits for the
/// first repair. The wait is exponential with `mean`, at a share `probability` of all failures.
struct SpareWait {
  double probability = 0;
  Seconds mean;
};

struct Failures {
  PerSecond rate;  // failures of the whole allocation; 0: none
  Seconds restart;
  SpareWait wait = {};
};

/// Nodes break at the rate `broken` while the job is not waiting, and each takes `repair` on average, independently of
/// the others. Those in repair are then customers of Erlang's loss system with spares + 1 servers, whose formula holds
/// for any distribution of `repair`; `probability` is that of all spares being out when a node breaks.
SpareWait wait_for_spares(int spares, PerSecond broken, Seconds repair);

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
