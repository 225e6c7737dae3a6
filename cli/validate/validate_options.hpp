// Each way to validate is a subcommand; these options belong to several of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "cli/program/command.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::cli {

struct ValidateOptions {
  std::string way, cases, format = "text", output, board, fidelity, time_limit;
  std::vector<std::string> profiles;
};

/// A way to validate uses none of the shared options, those of cases, or these with simulation and the board.
enum class Uses { nothing, cases, simulation };

/// A way without options of its own: `run` returns the exit code.
struct Way {
  const char *name, *description, *formats;
  Uses uses = Uses::nothing;
  int (*run)(const ValidateOptions&) = nullptr;
};

void add_way(CLI::App& validate, Action& action, const Way& way);

/// Adds the subcommand `way` with what all of them have: --format, one of `formats`, --output and --quiet.
CLI::App& add_way(CLI::App& validate, const std::string& way, const std::string& description,
                  const std::string& formats, ValidateOptions& options);

void add_validate_published(CLI::App& validate, Action& action);
void add_validate_trace(CLI::App& validate, Action& action);
void add_validate_replay(CLI::App& validate, Action& action);
int validate_questions(const ValidateOptions& options);
int validate_convergence(const ValidateOptions& options);
int validate_transfer(const ValidateOptions& options);
int validate_anchors(const ValidateOptions& options);
int validate_speeds(const ValidateOptions& options);
int validate_sources(const ValidateOptions& options);
int validate_rates(const ValidateOptions& options);
int validate_unseen(const ValidateOptions& options);

/// Adds --profile.
void add_profiles(CLI::App& command, ValidateOptions& options);

/// Adds --cases and --profile.
void add_cases(CLI::App& command, ValidateOptions& options);

/// Adds --fidelity and --time-limit.
void add_simulation(CLI::App& command, ValidateOptions& options);

/// Adds --board.
void add_board(CLI::App& command, ValidateOptions& options);

/// Returns the question that profiles, --fidelity and --time-limit make, which tells what it says on stderr.
ValidationOptions simulation_of(const ValidateOptions& options);

/// Returns the cases that are asked for. Says which profiles are of no accelerator of theirs.
std::vector<Case> asked_cases(const ValidateOptions& options);

/// Throws InputError where there are no rows: a median over none says nothing.
void require_rows(bool any, const ValidateOptions& options, const char* wanted);

/// Returns the value of that name. Throws InputError, naming the option, where there is none.
template <class E>
E worded(const char* option, const std::string& word) {
  check_word(option, word, names<E>());
  return parse<E>(word);
}

}  // namespace mlsim::cli
