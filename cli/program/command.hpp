// Each subcommand adds itself to the parser and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "core/files/output_file.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/units.hpp"

namespace mlsim::cli {

/// An `Action` is what a parsed command line wants done; it returns the exit code 0 or 1. Empty until a subcommand was
/// chosen.
using Action = std::function<int()>;

void add_predict(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_plan(CLI::App& app, Action& action);
void add_diagnose(CLI::App& app, Action& action);
void add_explain(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_topology(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
/// Adds `help` for the list of commands alone: run_program() reads `mlsim help COMMAND` as `mlsim COMMAND --help`.
void add_completion(CLI::App& app, Action& action);

/// Prints what may stand in the place of the last of `words`, those behind the program's name: a line each, with a
/// description behind a tab, and ":files" where names of files may stand there. Returns the exit code.
int show_completions(const CLI::App& app, const std::vector<std::string>& words);

/// Throws InputError where `word` is not one of `known`; `place` is the option.
void check_word(const std::string& place, const std::string& word, const std::vector<std::string>& known);

/// Returns "--seed", also of an option that the help does not show, or "WHAT" of one that has no name to type.
std::string shown_name(const CLI::Option& option);

/// Lists the subcommands of `app` that its help shows; most commands have none.
std::vector<std::string> command_names(const CLI::App& app);

/// Returns the option whose values stand by themselves, as columns of compare do; null where there is none.
const CLI::Option* positional_option(const CLI::App& command);

/// Tells whether several settings may follow one --set of the command: it has one, and no word stands by itself.
bool takes_settings_in_a_row(const CLI::App& command);

/// Tells whether the word can be a setting, "key=value".
bool looks_like_setting(const std::string& word);

/// Returns "validate trace".
std::string command_words(const CLI::App& command);

/// Returns the last command that the command line names; `app` where it names none.
const CLI::App& chosen_command(const CLI::App& app);

/// Finds the command that the first of `words` name, as far as they are commands; `words` begins behind them
/// afterwards.
const CLI::App& named_command(const CLI::App& app, std::vector<std::string>& words);

/// Throws InputError where `word` is no command of `app`; `place` is empty or who asks.
void check_command(const std::string& place, const std::string& word, const CLI::App& app);

/// Parses "25%", "25 %" or "0.25". Throws InputError where it is below 0.
double parsed_share(const std::string& option, const std::string& text);

/// Parses the time of a --time-limit. Throws InputError where it is none, or not more than nothing.
Seconds parsed_time_limit(const std::string& text);

/// Writes to the file, or to stdout where `path` is empty or "-". The files `besides` are written with it, all or none.
void write_result(const std::string& path, const std::string& text, std::vector<OutputFile> besides = {});

}  // namespace mlsim::cli
