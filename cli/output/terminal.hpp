// A terminal is measured here for the answer that goes to it; what stands beside the answer goes to stderr.
#pragma once

#include <cstddef>
#include <string>

#include "cli/namespace.hpp"
#include "core/profile/profile.hpp"
#include "reports/page/page.hpp"

namespace mlsim::cli {

/// Returns the columns for a page on stdout: what COLUMNS says, else the terminal's width, else 80; between 40 and 100.
std::size_t page_columns();

/// Writes the page at that width.
std::string terminal_text(const reports::Page& page, bool color = false);

/// Writes the text as it is. What cannot be written, to a closed or full stderr, is lost: a note changes no answer.
void notice(const std::string& text);

/// Writes "mlsim: SENTENCE" on a line of its own; what it names of files and command lines reaches no terminal raw.
void say(const std::string& sentence);

/// Writes the profile to the file `output`, and says on stderr what it holds.
void write_profile(const std::string& output, const Profile& profile);

}  // namespace mlsim::cli
