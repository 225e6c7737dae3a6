// Words of files and command lines as a message shows them.
#pragma once

#include <string>
#include <string_view>

namespace mlsim {

/// The text on one line, without anything that a terminal acts on: control characters, separators of lines and bytes
/// that are no UTF-8 become "\x1b". Beyond `longest` characters it is cut and ends in "...".
std::string shown_text(std::string_view text, std::size_t longest = 2000);

/// The name, for what is written to a file. Throws InputError where it holds what shown_text() would not show as it is.
std::string checked_name(const std::string& name);

/// A word in its quotes, of which 80 characters are enough to find it.
std::string in_quotes(std::string_view word);

}  // namespace mlsim
