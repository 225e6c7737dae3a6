// Completion of command lines by the shell, which asks mlsim for the words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Prints what may stand in the place of the last of `words`, those behind the program's name: a line each, with a
/// description behind a tab, and ":files" where names of files may stand there. Returns the exit code.
int show_completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace mlsim::cli
