// Text is measured and broken here by the columns it takes on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mlsim::reports {

inline constexpr std::size_t kPageWidth = 100;

/// Counts the columns that UTF-8 text takes: combining marks none, East Asian wide characters and emoji two (Unicode
/// UAX #11, the common blocks). Bytes that are not UTF-8 count one each.
std::size_t text_width(std::string_view text);

/// Makes one line that is safe to print: control characters become spaces and bytes that are not UTF-8 "?".
std::string printable(std::string_view text);

/// Tells whether the space at `at` separates thousands: a digit before it, and exactly three behind it.
bool separates_thousands(std::string_view text, std::size_t at);

/// Breaks text into printable lines of at most `width` columns (at least 2), at spaces but for those within numbers,
/// inside a word only where it is wider than a line (there after a slash, colon, comma or dash if one is near). No line
/// has a space at either end. There is at least one line, which may be empty.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Puts `text` behind `label`, wrapped so that it ends at `width` columns, its later lines behind `indent` spaces, the
/// columns that the label takes or is meant to take.
std::vector<std::string> labelled_lines(const std::string& label, std::string_view text, std::size_t indent,
                                        std::size_t width = kPageWidth);
/// Writes the same as one text, each line ended by a newline.
std::string labelled_text(const std::string& label, std::string_view text, std::size_t indent,
                          std::size_t width = kPageWidth);
/// Writes the same without a label.
std::string paragraph(std::string_view text, std::size_t width = kPageWidth);

/// Puts as many parts on a line as fit `width` columns, `glue` between them; a line that goes on ends with the glue but
/// for its spaces. A part wider than a line is wrapped by itself; empty ones are left out.
std::vector<std::string> joined_lines(const std::vector<std::string>& parts, std::string_view glue, std::size_t width);

/// Returns `text` filled with spaces to `width` columns, on its right or, for `right`, on its left.
std::string padded(std::string_view text, std::size_t width, bool right = false);

}  // namespace mlsim::reports
