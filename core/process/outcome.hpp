// An Outcome is what came of a piece of work in another process: its bytes, or the error that it ended with.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/process/child_process.hpp"
#include "core/units.hpp"

namespace mlsim {

/// A process of this program that had no memory left exits with this status.
inline constexpr int kOutOfMemoryStatus = 72;

class Outcome {
 public:
  explicit Outcome(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit Outcome(std::exception_ptr error) : error_(std::move(error)) {}

  /// Returns the bytes that the work returned, or throws the error that it ended with.
  const std::string& value() const;

  /// Says how the work's process or this machine failed, which says nothing of the work: asked again it may be
  /// answered. The text is empty for an answer, for any other error, and for work that took too long.
  std::string failure() const;

 private:
  std::string bytes_;
  std::exception_ptr error_;
};

/// Runs `work` and returns its outcome as bytes for another process. It throws nothing: an InputError, Infeasible,
/// Unavailable, MachineFailed or ProcessCrashed keeps its type and its text, std::bad_alloc becomes a MachineFailed,
/// any other error a std::runtime_error of the same text.
std::string packed_outcome(const std::function<std::string()>& work);

/// Reads what packed_outcome() packed.
Outcome unpacked_outcome(std::string_view packed);

/// Returns the outcome of work whose process ended before its result was complete. A signal that a program raises by
/// its own fault, or an exit, makes it a ProcessCrashed; any other signal came from outside and makes it a
/// MachineFailed, as does kOutOfMemoryStatus. `process` is the subject of the sentence.
Outcome outcome_of(const ChildEnd& end, const std::string& process);

/// Returns the outcome, a TimedOut, of work whose process was stopped after `limit`.
Outcome timed_out(Seconds limit, const std::string& process);

}  // namespace mlsim
