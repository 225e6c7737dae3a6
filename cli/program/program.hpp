// `run_program()` takes a command line from its words to its exit code.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// These are the codes of a process that ends with an answer, with a negative one, by wrong input, for lack of
/// something on this machine.
inline constexpr int kDoneCode = 0, kNegativeCode = 1, kBadInputCode = 2, kMachineCode = 3;

/// Says what all of them mean, for help and manual pages; two lines of a terminal.
inline constexpr const char* kExitCodes =
    "0 done, 1 a negative answer (plan infeasible, bound missed), 2 wrong input,\n"
    "3 something is missing on this machine, or it failed, 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.";

/// Parses `words`, those behind the program's name, and runs one command. Throws every error; an exit code it returns.
/// `begins` is called before the command runs, with whether it was told to be quiet.
int run_program(
    const std::vector<std::string>& words, const std::function<void(bool quiet)>& begins = [](bool) {});

/// Lists the options of the command that take no value, as "--as-is".
std::set<std::string> switches_of(const std::string& command);

}  // namespace mlsim::cli
