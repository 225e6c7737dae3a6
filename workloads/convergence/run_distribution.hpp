// Epochs to target as a distribution over runs: lognormal about the law, on the evaluations of the job.
//
// Among 27 sets of MLPerf runs with a spread above 8 %, the median skewness is 0.34 raw and 0.06 of the logarithm. Only
// run to run spread is in it: what the table does not know of the batch or the submission is
// SamplesToTarget::log_spread.
#pragma once

#include "workloads/convergence/convergence.hpp"

namespace mlsim::workloads {

/// Inverse of the standard normal distribution (Acklam's rational approximation, relative error below 1.2e-9).
/// Throws InputError outside 0 < share < 1.
double normal_quantile(double share);

/// Epochs of the run that `share` of all runs stay below or reach, snapped to the nearest evaluation. A recipe of fixed
/// length answers with that length. Errors as samples_to_target.
double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators = 1);

}  // namespace mlsim::workloads
