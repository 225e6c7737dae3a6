// These types say what can go wrong: each maps to one exit code of the command line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/statement.hpp"

namespace mlsim {

/// A person's wrong input is an InputError: exit code 2. `place` is "file:line", "--option" or empty.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& reason) : InputError({}, reason) {}
  /// A zero byte of a file that is quoted, at which what() would end, is written "\x00".
  InputError(const std::string& place, const std::string& reason);
  const std::string& place() const { return place_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string place_;
  std::string reason_;
};

/// A well-formed plan that cannot work is Infeasible (memory, divisibility, no route): exit code 1.
class Infeasible : public std::runtime_error {
 public:
  /// `nearest` is what would work, as far as the sentence says it: "at most 10 fit (global batch 80)".
  explicit Infeasible(const std::string& sentence, Statement nearest = {})
      : std::runtime_error(sentence), nearest_(std::move(nearest)) {}
  const Statement& nearest() const { return nearest_; }

 private:
  Statement nearest_;
};

/// A capability that this machine or build lacks is Unavailable: exit code 3; the text says what to install.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This machine failed (no process, no memory, a process killed from outside), which says nothing of what was asked:
/// exit code 3.
class MachineFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A process of this program ended by its own fault before its result was complete.
class ProcessCrashed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A process of this program took longer than it may, and was stopped.
class TimedOut : public ProcessCrashed {
 public:
  using ProcessCrashed::ProcessCrashed;
};

/// Returns the candidate that has the key of `word` (core/text/spelling.hpp), or else the nearest by edit distance (a
/// swap of neighbours is one edit), or "" where none is within two edits, a likely slip. Ties go to the earlier one.
/// O(words * length^2).
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Returns `unknown WHAT "word"; did you mean "nearest"?`, or, where nothing is near, names the words that hold it, or
/// else what is known (of a list of more than 48 only how many).
std::string unknown_word(std::string_view what, std::string_view word, const std::vector<std::string>& candidates);

}  // namespace mlsim
