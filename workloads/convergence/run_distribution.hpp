// Epochs to target are a distribution over runs: lognormal about the law, on the evaluations of the job.
//
// The median skewness of 27 sets of MLPerf runs with a spread above 8 % is 0.34 raw and 0.06 of the logarithm. Only run
// to run spread is in the distribution: SamplesToTarget::log_spread is what the table does not know of the batch or the
// submission.
#pragma once

#include "workloads/convergence/convergence.hpp"

namespace mlsim::workloads {

/// Inverts the standard normal distribution. Throws InputError outside 0 < share < 1.
double normal_quantile(double share);

/// Returns the epochs of the run that `share` of all runs stay below or reach, snapped to the nearest evaluation. A
/// recipe of fixed length answers with that length. Errors are those of samples_to_target.
double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators = 1);

}  // namespace mlsim::workloads
