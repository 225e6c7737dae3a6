// These functions show words of files and command lines in a message.
#pragma once

#include <string>
#include <string_view>

namespace mlsim {

/// Returns the text on one line, without anything that a terminal acts on: control characters, separators of lines and
/// bytes that are no UTF-8 become "\x1b". A text beyond `longest` characters is cut and ends in "...".
std::string shown_text(std::string_view text, std::size_t longest = 2000);

/// Returns the name, to be written to a file. Throws InputError where shown_text() would not show it as it is.
std::string checked_name(const std::string& name);

/// Returns the word in quotes; 80 characters of it are enough to find it.
std::string in_quotes(std::string_view word);

}  // namespace mlsim
