// A notice is a word on stderr beside the answer.
#pragma once

#include <string>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Writes the text as it is. What cannot be written, to a closed or full stderr, is lost: a note changes no answer.
void notice(const std::string& text);

/// Writes "mlsim: SENTENCE" on a line of its own; what it names of files and command lines reaches no terminal raw.
void say(const std::string& sentence);

}  // namespace mlsim::cli
