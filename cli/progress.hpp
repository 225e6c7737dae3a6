// How many of many questions are answered, on a terminal.
#pragma once

#include <functional>
#include <string>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Writes "12 of 52 cases" over itself on stderr; empty where that is no terminal.
std::function<void(int done, int all)> progress_of(const std::string& what);

}  // namespace mlsim::cli
