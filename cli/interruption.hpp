// Ctrl-C and SIGTERM: the end of a command, or a question that a long run asks itself.
#pragma once

#include <signal.h>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// From here on SIGINT and SIGTERM end the process within moments, with 130 or 143 and a sentence on where it was:
/// "interrupted after 3 s while simulating the step, 40 % done". Temporary files are removed; children end with their
/// parent and leave the word to it. A SIGINT that whoever started the process had it ignore stays ignored.
void end_on_signals();

/// While it lives, SIGINT and SIGTERM are noted instead: for a run that has more to save, or to say. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;
  /// To exit with where the last of them was requested.
  static int code();

 private:
  struct sigaction on_interrupt_ {
  }, on_terminate_{};  // before
};

/// As shells have it: 128 and the signal's number.
inline constexpr int kInterruptedCode = 130, kTerminatedCode = 143;

}  // namespace mlsim::cli
