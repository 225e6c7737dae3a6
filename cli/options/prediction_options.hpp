// A question about one step or one job has these options in `mlsim predict`, explain, export, compare, sweep and plan.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "sim/answer/predict.hpp"
#include "studies/question.hpp"

namespace mlsim::cli {

struct PredictionOptions : studies::QuestionText {
  std::string format = "text", output;
  std::vector<std::string> profiles, price_lists;
  std::string like;  // id of a published run; empty: the question is asked in words
  bool quiet = false;
};

enum class Scope { step, job };

/// Lists the words of --parallelism and --set with their meanings.
std::string words_help(Scope scope);

/// Declares the options; `options` must outlive the parser. The footer lists the words, then `example`. What counts for
/// the job alone is not shown where one step is asked for, which refuses it with a reason.
void add_prediction_options(CLI::App& command, PredictionOptions& options, Scope scope, const std::string& example);

/// Declares --like, which asks as a published run was made.
void add_like(CLI::App& command, PredictionOptions& options);

/// Loads the built-in profiles and anchors, and the user's own profiles and price lists, those of the options before
/// those of the project. Throws InputError for a file that is none.
KnownFigures known_figures(const PredictionOptions& options);

/// Reads the profiles and runs that come with mlsim, which every answer leans on: once for a process and its children.
void read_builtin_figures();

/// Throws InputError naming the option that is missing.
void require_job(const QuestionText& question, const std::string& command);

/// Throws InputError naming the option that is wrong or missing.
PredictRequest request_of(const PredictionOptions& options, const std::string& command);

/// Returns the request of a command that looks at one step. Throws InputError also for a price list.
PredictRequest step_request_of(const PredictionOptions& options, const std::string& command);

/// Throws InputError where a price of --price is of nothing that any of the requests bills.
void check_own_prices(const std::vector<PredictRequest>& requests);

/// Says on stderr which profiles of --profile changed nothing in the answers to any of the requests, and why. Of very
/// many requests it looks at some, evenly spread.
void warn_of_unused_profiles(const PredictionOptions& options, const std::vector<PredictRequest>& requests);

/// Says of many ranks whose every message will be simulated that it takes its time.
void announce_messages(const PredictRequest& request, bool quiet);

/// Tells whether the answer goes to a terminal that shows colours.
bool in_color(const PredictionOptions& options);

}  // namespace mlsim::cli
