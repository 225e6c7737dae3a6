// Epochs to target are a distribution over runs: lognormal about the law, on the evaluations of the job.
//
// The median skewness of 27 sets of MLPerf runs with a spread above 8 % is 0.34 raw and 0.06 of the logarithm. Only run
// to run spread is in the distribution: SamplesToTarget::log_spread is what the table does not know of the batch or the
// submission.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::workloads {

/// Inverts the standard normal distribution. Throws InputError outside 0 < share < 1.
double normal_quantile(double share);

/// Returns the epochs of the run that `share` of all runs stay below or reach, snapped to the nearest evaluation. A
/// recipe of fixed length answers with that length. Errors are those of samples_to_target.
double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators = 1);

/// Epochs of `count` runs, from which intervals by sampling will be drawn; tests hold the quantiles against them. Equal
/// seeds give equal answers on every platform: std::mt19937_64, 53 bits a draw, the quantile above; without a grid
/// answers are cut to a millionth of the law, where the last bits of exp do not show.
std::vector<double> sampled_epochs(const ConvergenceTable& table, const Recipe& recipe, double global_batch, int count,
                                   std::uint64_t seed, int accelerators = 1);

}  // namespace mlsim::workloads
