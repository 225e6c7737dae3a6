// A `LinedText` is a text file as lines with their places, for tables that people paste and programs cut off.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

struct LinedText {
  std::string path;
  std::vector<std::string> lines;  // without ends, "\r" too
  bool ends_with_newline = true;   // else the last line may be half of one

  /// The place of lines[11] is "file:12".
  std::string place(std::size_t index) const;
};

/// Leaves out the labels that launchers put before each line, "[1,0]<stdout>:" of mpirun --tag-output and "0: " of srun
/// -l.
LinedText lined_text(const std::string& path, const std::string& text);

std::vector<std::string> words_of(std::string_view line);
bool is_whole_number(std::string_view word);

/// Takes `start` off the front of the line; returns false where the line does not begin so.
bool take(std::string_view& line, std::string_view start);
/// Takes the digits off the front of the line.
std::string_view take_digits(std::string_view& line);

/// Each throws InputError with `place`, `what` and the word at fault.
Bytes byte_count(const std::string& word, const std::string& place);
double figure_above_zero(const std::string& word, const std::string& what, const std::string& place);
double figure(const std::string& word, const std::string& what, const std::string& place);

}  // namespace mlsim::calibrate
