// Names are spelt here: as slugs of catalogues, as keys that people's spellings share, and as they are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

/// Returns `text` in lower case with single dashes for what is no letter or digit, each of `words` left out.
std::string slug(std::string text, const std::vector<std::string>& words);

/// Returns "cpu-intel-xeon-platinum-8168" for "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz", "cpu" for an empty rest.
std::string processor_slug(const std::string& model);

/// Returns what tells names apart: the name without its case, dashes, underscores and blanks, but for those between two
/// digits: "llama-3-3b" is not "llama-33b".
std::string name_key(std::string_view name);

/// Tells whether a name has another before its next dash: "mlperf-v0.7-jax" goes on from "mlperf-v0.7", and
/// "mlperf-v0.71" does not.
bool goes_on_from(std::string_view name, std::string_view stem);

/// Returns the one of `names` that is `word` to the letter, or else the first with its key; nothing if there is none.
std::optional<std::string> name_among(const std::vector<std::string>& names, std::string_view word);

/// Returns the text on one line, without anything that a terminal acts on: control characters, separators of lines and
/// bytes that are no UTF-8 become "\x1b". A text beyond `longest` characters is cut and ends in "...".
std::string shown_text(std::string_view text, std::size_t longest = 2000);

/// Returns the name, to be written to a file. Throws InputError where shown_text() would not show it as it is.
std::string checked_name(const std::string& name);

/// Returns the word in quotes; 80 characters of it are enough to find it.
std::string in_quotes(std::string_view word);

}  // namespace mlsim
