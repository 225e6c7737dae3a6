// A command line from its words to its exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Of a process that ends with an answer, with a negative one, by wrong input, for lack of something on this machine.
inline constexpr int kDoneCode = 0, kNegativeCode = 1, kBadInputCode = 2, kMachineCode = 3;

/// Parses `words`, those behind the program's name, and runs one command. Throws every error; an exit code it returns.
/// `begins` is called before the command runs, with whether it was told to be quiet.
int run_program(
    const std::vector<std::string>& words, const std::function<void(bool quiet)>& begins = [](bool) {});

}  // namespace mlsim::cli
