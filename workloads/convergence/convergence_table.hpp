// A ConvergenceTable has the recipes of a benchmark, as its catalogue file has them. A Recipe says how its epochs
// depend on the batch, and how its runs are timed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "workloads/convergence/batch_law.hpp"
#include "workloads/convergence/recipe_target.hpp"

namespace mlsim::workloads {

/// The distance between evaluations depends on the batch: share * (per_batch * B + constant) samples, cut down to whole
/// multiples (MLPerf training rules for BERT from v1.0).
struct BatchEvaluationRule {
  double per_batch = 0, constant = 0, share = 0, multiple = 0;
  double samples(double batch) const;
};

/// Evaluations come at first + k * every epochs, `before` of them up to `first`; without a rule `every` is 0 and
/// `before` of them come, wherever the run ends.
struct EvaluationGrid {
  double before = 0, first = 0, every = 0;      // count, epochs, epochs
  std::optional<BatchEvaluationRule> by_batch;  // instead of every
  bool offset_chosen = false;                   // submitters move the grid so that no epoch is wasted (ResNet)

  /// Returns the epochs between evaluations; 0 where there is no grid.
  double interval(double batch, double samples_per_epoch) const;
  /// Returns how many a job of so many epochs makes: the nearest whole number, as published means sit on the grid
  /// already. It is never below one, except where there is neither grid nor count.
  double count(double epochs, double batch, double samples_per_epoch) const;
  /// Returns the evaluation nearest to `epochs`; a chosen offset is tuned to the `expected` epochs.
  double nearest(double epochs, double expected, double batch, double samples_per_epoch) const;
};

/// Reads `evaluations:` of a recipe; throws InputError with file and line.
EvaluationGrid read_evaluation_grid(const Document& at);

/// An EvaluationPause is what one evaluation takes off steady training: p = fixed + passes * x^exponent seconds.
///
/// p is everything that is not steady training: the evaluation, restart of the input, first touch of the data, tail. x
/// is V / throughput, the seconds that the training rate needs for the validation set, or, where every device decodes
/// its share by beam search (GNMT, Transformer), 8 / accelerators. The constants are data,
/// workloads/catalogue/convergence.
struct EvaluationPause {
  enum class Load { validation_set, beam_search };

  std::string family;             // "gpu", "tpu", "other" or "any"
  std::vector<std::string> eras;  // "v0.5", "v0.6+": the clocks of recipes that it belongs to
  Seconds fixed;
  double passes = 0, exponent = 1;
  Load load = Load::validation_set;
  Source source;

  bool belongs_to(const std::string& era, const std::string& accelerator_family) const;
};

/// Returns the seconds of one pause. Throws InputError for a throughput that is not positive or no accelerator.
Seconds evaluation_pause(const EvaluationPause& pause, PerSecond throughput, double validation_samples,
                         int accelerators);

/// Writes the formula in words: "0.35 s + 1.04 x validation samples/throughput".
Statement pause_statement(const EvaluationPause& pause);

/// Reads one item of `pauses:`; throws InputError with file, line and the nearest word.
EvaluationPause read_evaluation_pause(const Document& at);

/// SelfPlay is what one iteration of learning by self-play holds besides training: games played, positions evaluated.
///
/// A game takes `moves_per_game` moves; a move searches `readouts` positions, or `fast_readouts` in the share of moves
/// that are played fast. Each searched position is one forward pass of the network, except the share that a search
/// takes over from the tree of the move before or finds in its cache.
struct SelfPlay {
  double games = 0;  // an iteration
  double moves_per_game = 0;
  double readouts = 0, fast_readouts = 0;  // positions searched for a move
  double fast_share = 0;                   // share of the moves
  double reused_share = 0;                 // share of the searched positions that need no forward pass
  double training_batch = 0;               // samples, over all accelerators
  Source source;

  /// Returns the forward passes of self-play in one iteration.
  double positions_per_iteration() const;
};

struct ConvergencePoint {
  double batch = 0;  // samples, or accelerators where the recipe goes by them
  double epochs = 0;
  double weight = 1;       // runs behind it; a reference point's runs count a quarter
  bool reference = false;  // a reference convergence point, not a result
  std::string source;      // what a result states of itself: round, submitter, system

  /// Returns the submitter of a result in lower case, "nvidia"; empty for a reference point. Points that sum up several
  /// results ("3 results of ...") count as one submitter.
  std::string submitter() const;
};

/// A ConvergenceLaw says how epochs depend on the batch: isotonic is the rule of workloads/convergence/convergence.hpp;
/// constant is one weighted mean at any batch, for fixed schedules and for benchmarks whose points show no trend; given
/// is a law with its parameters, where a source gives these and not the points.
enum class ConvergenceLaw { isotonic, constant, given };

/// A recipe stands for a round (target era), a recipe and a code family, e.g. "resnet v0.7 lars mxnet".
struct Recipe {
  std::string name;  // "v0.7-lars-tf"
  std::string title;
  std::string target;                 // "75.9 % top-1"
  std::vector<RecipeTarget> targets;  // that one, where it is a number, and what the same runs reach besides
  std::optional<LearningRate> learning_rate;
  std::string round;  // first MLPerf round whose runs it stands for, "v2.0", where its name says another; else empty
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
  int samples_per_rank = 0;      // that its runs trained with, whatever the number of ranks; 0: any
  bool by_accelerators = false;  // a look-up by system size, where no batch is published
  std::optional<SelfPlay> self_play;
  bool exact = false;     // a fixed schedule: the epochs are chosen, not found
  std::string clock_era;  // which pauses apply, "v0.6+"
  EvaluationGrid evaluations;
  bool init_billed = true;  // false where the published figure leaves initialisation out

  /// Returns the largest batch, or number of accelerators, that the recipe knows.
  double largest() const;
};

/// The table holds what a benchmark's catalogue file says.
struct ConvergenceTable {
  std::string benchmark;  // "resnet"
  std::string title;
  double run_spread = 0;         // one sigma of the log of samples to target, run to run
  double submission_spread = 0;  // the same between submissions at one batch
  Source spread_source;
  std::vector<std::pair<std::string, std::string>> defaults;  // accelerator or its family -> recipe
  std::vector<EvaluationPause> pauses;
  std::vector<Recipe> recipes;

  /// Throws InputError with the nearest name.
  const Recipe& recipe(const std::string& name) const;
  /// Returns the pause of a recipe's clock and an accelerator family, if known: the family's own, else that of any.
  const EvaluationPause* pause(const Recipe& recipe, const std::string& accelerator_family) const;
};

/// Reads a catalogue file; throws InputError with file, line and the nearest word.
ConvergenceTable parse_convergence(const Document& document);
/// Returns the built-in table of a benchmark; throws InputError with the nearest benchmark.
const ConvergenceTable& convergence_table(const std::string& benchmark);
std::vector<std::string> convergence_benchmarks();

}  // namespace mlsim::workloads
