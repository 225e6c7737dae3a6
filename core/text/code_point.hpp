// This header reads UTF-8 text one code point after the other (libutf8proc behind it).
#pragma once

#include <cstddef>
#include <string_view>

namespace mlsim {

/// A byte that starts no code point (RFC 3629) is a broken one of its own.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool broken = false;
};

/// Returns the code point at the front of `text`, which is not empty.
CodePoint first_code_point(std::string_view text);

/// Returns where the first byte stands that starts no code point; the size of the text where there is none.
std::size_t first_broken_utf8(std::string_view text);

/// Returns the columns that a terminal gives the point: two for wide characters, none for those that combine with the
/// one before, one for a broken one, whose place a question mark takes.
int columns(const CodePoint& point);

/// Says whether a terminal would act on the point: control characters, separators of lines and paragraphs, marks of the
/// direction of text.
bool is_control(const CodePoint& point);
/// Says whether any of the text is a control character other than ends of lines and tabs.
bool holds_control(std::string_view text);

}  // namespace mlsim
