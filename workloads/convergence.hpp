// Samples to target against global batch, from MLPerf reference points and result logs.
//
// Rule and parameters: isotonic and linear in the batch inside the data, E = Emin(1 + B/Bcrit) through the last two
// points above it, the smallest batch's value below it; spread by position (run to run, submission, distance).
#pragma once

#include <string>
#include <vector>

#include "core/provenance.hpp"

namespace mlsim {

struct ConvergencePoint {
  double batch = 0;
  double epochs = 0;
  double weight = 1;  // runs behind it
  std::string source;
};

/// One table: benchmark, round (target era), recipe and code family, e.g. "resnet v0.7 lars mxnet".
struct Recipe {
  std::string name;  // "v0.7-lars-tf"
  std::string title;
  std::string target;  // "75.9 % top-1"
  double samples_per_epoch = 0;
  std::vector<ConvergencePoint> points;  // by batch
  Source source;
};

enum class Position { at_point, inside, below, above };

struct SamplesToTarget {
  double samples = 0, epochs = 0;
  double log_spread = 0;  // one sigma of the log of one run's samples, position included
  Position position = Position::inside;
  double beyond = 1;  // above the data: batch / largest batch in the table
  std::string recipe;
  std::vector<std::string> warnings;
};

std::vector<Recipe> recipes(const std::string& benchmark);
/// Throws InputError for an unknown recipe (nearest word) and Infeasible more than 5x above the data.
SamplesToTarget samples_to_target(const std::string& benchmark, const std::string& recipe, double global_batch);
/// The recipe to assume for a family ("tpu", "gpu") where the user names none: the newest round's.
std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family);
/// The largest batch with a point in the recipe's table.
double largest_known_batch(const std::string& benchmark, const std::string& recipe);

}  // namespace mlsim
