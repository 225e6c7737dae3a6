// What a command may not do, whatever was asked.
#pragma once

#include <string>
#include <vector>

#include "command_run.hpp"

namespace mlsim::test {

/// Runs it, twice where it succeeds, and says what is wrong; empty where nothing is:
///   - it exits with 0, 1, 2 or 3 within 60 s and 1 GiB;
///   - but for 0 it says why in one sentence, on stderr, or of an infeasible plan as JSON where that was asked for;
///   - nothing of a library's words, no byte that a terminal would act on;
///   - on 0 figures are finite, the parts of a step add up to it, and the same command says the same again.
std::string command_complaint(const CommandRunner& runner, const std::vector<std::string>& arguments);

/// The same of a run; `again` is the second one's answer, empty where there was none.
std::string run_complaint(const CommandRun& run, const std::string& again, const std::vector<std::string>& arguments);

}  // namespace mlsim::test
