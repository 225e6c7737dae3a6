// Samples to target against global batch, from MLPerf reference points and result logs and from MLBench's results.
//
// Rule and parameters: isotonic and linear in the batch inside the data, E = Emin(1 + B/Bcrit) through the last two
// points above it, the smallest batch's value below it; spread by position (run to run, submission, distance).
// The data are workloads/catalogue/convergence/*.yaml, one file a benchmark, named by it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/document.hpp"
#include "core/provenance.hpp"
#include "workloads/convergence/batch_law.hpp"
#include "workloads/convergence/evaluation_grid.hpp"
#include "workloads/convergence/evaluation_pause.hpp"
#include "workloads/convergence/self_play.hpp"

namespace mlsim::workloads {

struct ConvergencePoint {
  double batch = 0;  // samples, or accelerators where the recipe goes by them
  double epochs = 0;
  double weight = 1;       // runs behind it; a reference point's runs count a quarter
  bool reference = false;  // a reference convergence point, not a result
  std::string source;      // of a result: round, submitter, system

  /// The submitter of a result in lower case, "nvidia"; empty for a reference point. Points that sum up several
  /// results ("3 results of ...") count as one submitter.
  std::string submitter() const;
};

/// How epochs depend on the batch: isotonic is the rule above; constant is one weighted mean at any batch, for fixed
/// schedules and for benchmarks whose points show no trend; given is a law with its parameters, where a source gives
/// these and not the points.
enum class ConvergenceLaw { isotonic, constant, given };

/// One table: benchmark, round (target era), recipe and code family, e.g. "resnet v0.7 lars mxnet".
struct Recipe {
  std::string name;  // "v0.7-lars-tf"
  std::string title;
  std::string target;  // "75.9 % top-1"
  double samples_per_epoch = 0;
  std::vector<ConvergencePoint> points;  // by batch; empty where the law is given
  std::string points_of;                 // the recipe above whose points these are; empty: its own
  Source source;
  ConvergenceLaw law = ConvergenceLaw::isotonic;
  BatchLaw given;          // where the law is given
  double given_up_to = 0;  // the largest batch that it is known to hold for
  std::string batch_unit;  // what the published batches count where that is not samples, "tokens"; points hold samples
  double units_per_sample = 1;
  Source batch_unit_source;
  bool by_accelerators = false;  // a look-up by system size, where no batch is published
  std::optional<SelfPlay> self_play;
  bool exact = false;     // a fixed schedule: the epochs are chosen, not found
  std::string clock_era;  // which pauses apply, "v0.6+"
  EvaluationGrid evaluations;
  bool init_billed = true;  // false where the published figure leaves initialisation out

  /// The largest batch, or number of accelerators, that the recipe knows.
  double largest() const;
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
  /// The pause of a recipe's clock and an accelerator family, if any is known: the family's own, else that of any.
  const EvaluationPause* pause(const Recipe& recipe, const std::string& accelerator_family) const;
};

/// Reads a catalogue file; throws InputError with file, line and the nearest word.
ConvergenceTable parse_convergence(const Document& document);
/// The built-in table of a benchmark; throws InputError with the nearest benchmark.
const ConvergenceTable& convergence_table(const std::string& benchmark);
std::vector<std::string> convergence_benchmarks();

/// The rule on one recipe of a table. `global_batch` counts samples; `accelerators` matters to recipes that go by them.
/// Throws Infeasible more than 5x above the data and InputError for a batch below 1.
SamplesToTarget samples_to_target(const ConvergenceTable& table, const Recipe& recipe, double global_batch,
                                  int accelerators = 1);

std::vector<Recipe> recipes(const std::string& benchmark);
/// Throws InputError for an unknown recipe (nearest word) and Infeasible more than 5x above the data.
SamplesToTarget samples_to_target(const std::string& benchmark, const std::string& recipe, double global_batch,
                                  int accelerators = 1);
/// The recipe to assume for a family ("tpu", "gpu") where the user names none: the newest round's.
std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family);
/// The largest batch, in samples, that the recipe knows; of a recipe by accelerators the batch that it trains with.
double largest_known_batch(const std::string& benchmark, const std::string& recipe);

}  // namespace mlsim::workloads
