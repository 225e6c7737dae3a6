// samples_to_target() is a law of the global batch, from MLPerf reference points, result logs and MLBench's results.
//
// The rule is isotonic and linear in the batch inside the data, E = Emin(1 + B/Bcrit) through the last two points above
// it, the smallest batch's value below it; spread goes by position (run to run, submission, distance). The data are
// workloads/catalogue/convergence/*.yaml, one file a benchmark, named by it.
#pragma once

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
/// Returns the recipe to assume for a family ("tpu", "gpu") where the user names none: the newest round's.
std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family);
/// Returns the largest batch, in samples, that the recipe knows; one by accelerators knows the batch that it trains
/// with.
double largest_known_batch(const std::string& benchmark, const std::string& recipe);

}  // namespace mlsim::workloads
