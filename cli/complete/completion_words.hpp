// `completions()` finds the words that may stand next on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

struct Completion {
  std::string word, description;  // the whole word, also where a part of it is typed
};

struct Completions {
  std::vector<Completion> words;
  bool files = false;  // names of files may stand there, too
};

/// Completes the last of `words`, which may be empty; the others stand before it, behind the program's name. Names of a
/// project are among them where use_project() has run.
Completions completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace mlsim::cli
