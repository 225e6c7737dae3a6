// A ConvergenceTable has the recipes of a benchmark, as its catalogue file has them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "workloads/convergence/convergence_recipe.hpp"
#include "workloads/convergence/evaluation_pause.hpp"

namespace mlsim::workloads {

/// The table holds what a benchmark's catalogue file says.
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
  /// Returns the pause of a recipe's clock and an accelerator family, if known: the family's own, else that of any.
  const EvaluationPause* pause(const Recipe& recipe, const std::string& accelerator_family) const;
};

/// Reads a catalogue file; throws InputError with file, line and the nearest word.
ConvergenceTable parse_convergence(const Document& document);
/// Returns the built-in table of a benchmark; throws InputError with the nearest benchmark.
const ConvergenceTable& convergence_table(const std::string& benchmark);
std::vector<std::string> convergence_benchmarks();

}  // namespace mlsim::workloads
