// Samples to target against global batch, from MLPerf reference points and result logs.
//
// Rule and parameters: isotonic and linear in the batch inside the data, E = Emin(1 + B/Bcrit) through the last two
// points above it, the smallest batch's value below it; spread by position (run to run, submission, distance).
// The data are workloads/catalogue/convergence/*.yaml, one file a benchmark.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/document.hpp"
#include "core/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

struct ConvergencePoint {
  double batch = 0;
  double epochs = 0;
  double weight = 1;  // runs behind it; a reference point's runs count a quarter
  std::string source;
};

/// How epochs depend on the batch: isotonic is the rule above; constant is one weighted mean at any batch, for fixed
/// schedules and for benchmarks whose points show no trend.
enum class ConvergenceLaw { isotonic, constant };

/// How often a job evaluates: round((E - first)/every) + before times, never fewer than one; every = 0 is never.
struct EvaluationGrid {
  double before = 0, first = 0, every = 0;  // count, epochs, epochs
};

/// Seconds that one evaluation takes off steady training: fixed + passes * (validation samples / throughput).
struct EvaluationPause {
  std::string family;  // "gpu", "tpu", "other"
  std::string era;     // "v0.5", "v0.6+"
  Seconds fixed;
  double passes = 0;
  Source source;
};

/// One table: benchmark, round (target era), recipe and code family, e.g. "resnet v0.7 lars mxnet".
struct Recipe {
  std::string name;  // "v0.7-lars-tf"
  std::string title;
  std::string target;  // "75.9 % top-1"
  double samples_per_epoch = 0;
  std::vector<ConvergencePoint> points;  // by batch
  Source source;
  ConvergenceLaw law = ConvergenceLaw::isotonic;
  bool exact = false;     // a fixed schedule: the epochs are chosen, not found
  std::string clock_era;  // which pauses apply, "v0.6+"
  EvaluationGrid evaluations;
  bool init_billed = true;  // false where the published figure leaves initialisation out
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

/// What a benchmark's catalogue file says.
struct ConvergenceTable {
  std::string benchmark;  // "resnet"
  std::string title;
  double run_spread = 0;         // one sigma of the log of samples to target, run to run
  double submission_spread = 0;  // the same between submissions at one batch
  Source spread_source;
  std::vector<std::pair<std::string, std::string>> defaults;  // accelerator family -> recipe
  std::vector<EvaluationPause> pauses;
  std::vector<Recipe> recipes;

  /// Throws InputError with the nearest name.
  const Recipe& recipe(const std::string& name) const;
};

/// Reads a catalogue file; throws InputError with file, line and the nearest word.
ConvergenceTable parse_convergence(const Document& document);
/// The built-in table of a benchmark; throws InputError with the nearest benchmark.
const ConvergenceTable& convergence_table(const std::string& benchmark);
std::vector<std::string> convergence_benchmarks();

/// The rule on one recipe of a table. Throws Infeasible more than 5x above the data and InputError for a batch below 1.
SamplesToTarget samples_to_target(const ConvergenceTable& table, const Recipe& recipe, double global_batch);

std::vector<Recipe> recipes(const std::string& benchmark);
/// Throws InputError for an unknown recipe (nearest word) and Infeasible more than 5x above the data.
SamplesToTarget samples_to_target(const std::string& benchmark, const std::string& recipe, double global_batch);
/// The recipe to assume for a family ("tpu", "gpu") where the user names none: the newest round's.
std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family);
/// The largest batch with a point in the recipe's table.
double largest_known_batch(const std::string& benchmark, const std::string& recipe);

}  // namespace mlsim
