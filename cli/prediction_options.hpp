// The options of a question about one step, as `mlsim predict` and `mlsim explain` take them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "sim/answer/predict.hpp"

namespace mlsim::cli {

/// As typed; they become a PredictRequest only after parsing, so that every error names its option.
struct PredictionOptions {
  std::string topology, workload, accelerators, global_batch, batch_per_accelerator, parallelism, precision;
  std::string fidelity = "folded", format = "text", output, seed, price_date;
  std::vector<std::string> profiles, settings;
  bool quiet = false;
};

enum class Scope { step, job };

/// Declares the options; `options` must outlive the parser. The footer lists the settings, then `example`. What counts
/// for the job alone is not shown where one step is asked for, which refuses it with a reason.
void add_prediction_options(CLI::App& command, PredictionOptions& options, Scope scope, const std::string& example);

/// Throws InputError naming the option that is wrong or missing.
PredictRequest request_of(const PredictionOptions& options, const std::string& command);

/// Says on a terminal that every rank will be simulated, which takes its time.
void announce_slow_fidelity(const PredictRequest& request, bool quiet);

/// Whether the answer goes to a terminal that shows colours.
bool in_color(const PredictionOptions& options);

}  // namespace mlsim::cli
