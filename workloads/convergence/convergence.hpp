// samples_to_target() is a law of the global batch, from MLPerf reference points, result logs and MLBench's results.
//
// The rule is isotonic and linear in the batch inside the data, E = Emin(1 + B/Bcrit) through the last two points above
// it, the smallest batch's value below it; spread goes by position (run to run, submission, distance). The data are
// workloads/catalogue/convergence/*.yaml, one file a benchmark, named by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/convergence/convergence_table.hpp"

namespace mlsim::workloads {

enum class Position { at_point, inside, below, above };

struct SamplesToTarget {
  double samples = 0, epochs = 0;
  double log_spread = 0;  // one sigma of the log of one run's samples, position included
  Position position = Position::inside;
  double beyond = 1;  // above the data: batch / largest batch in the table
  std::string recipe;
  std::vector<std::string> warnings;
};

/// Applies the rule to one recipe of a table. `global_batch` counts samples; `accelerators` matters to recipes that go
/// by them. Throws Infeasible more than 5x above the data and InputError for a batch below 1.
SamplesToTarget samples_to_target(const ConvergenceTable& table, const Recipe& recipe, double global_batch,
                                  int accelerators = 1);

std::vector<Recipe> recipes(const std::string& benchmark);
/// Throws InputError for an unknown recipe (nearest word) and Infeasible more than 5x above the data.
SamplesToTarget samples_to_target(const std::string& benchmark, const std::string& recipe, double global_batch,
                                  int accelerators = 1);
/// Returns the recipe that nearly all published trainings on an accelerator ("tpu-v2") had; empty where they differ.
std::optional<std::string> recipe_of(const std::string& benchmark, const std::string& accelerator);
/// Returns the recipe to assume for a family ("tpu", "gpu") where the user names none: the newest round's.
std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family);
/// Returns the largest batch, in samples, that the recipe knows; one by accelerators knows the batch that it trains
/// with.
double largest_known_batch(const std::string& benchmark, const std::string& recipe);

/// Returns the samples a rank that the recipe's runs trained with on any number of ranks; empty where it tells none.
std::optional<int> samples_per_rank(const std::string& benchmark, const std::string& recipe);

/// Inverts the standard normal distribution. Throws InputError outside 0 < share < 1.
double normal_quantile(double share);

/// Returns the epochs of the run that `share` of all runs stay below or reach, snapped to the nearest evaluation. A
/// recipe of fixed length answers with that length. Epochs to target are lognormal over runs about the law: the median
/// skewness of 27 sets of MLPerf runs with a spread above 8 % is 0.34 raw and 0.06 of the logarithm. Only run to run
/// spread is in the distribution: SamplesToTarget::log_spread is what the table does not know of the batch or the
/// submission. Errors are those of samples_to_target.
double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators = 1);

/// Returns the round of a recipe or a stack: 1.1 of "v1.1-lars-mxnet" and of "mlperf-v1.1-dell"; nothing where the name
/// has none.
std::optional<double> mlperf_round(const std::string& name);

/// Returns the recipe to assume for a family where the user names none but a stack of `round` (or later than all
/// recipes): the newest that is not of a later round and whose evaluations are timed on the family where the default's
/// are, of the default's optimizer and code where one is; the default where none is. Throws InputError as
/// default_recipe does.
std::string recipe_of_round(const std::string& benchmark, const std::string& accelerator_family, double round);

}  // namespace mlsim::workloads
