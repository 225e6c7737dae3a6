// An interruption is Ctrl-C, SIGTERM or SIGHUP: it ends a command, or sets a flag that a long run looks at.
#pragma once

#include <signal.h>

#include <array>
#include <functional>

#include "cli/namespace.hpp"
#include "core/files/held_signals.hpp"

namespace mlsim::cli {

/// From here on kEndingSignals end the process within moments, with 130, 143 or 129 and a sentence on where it was:
/// "interrupted after 3 s while simulating the step, 40 % done". Temporary files are removed; children end with their
/// parent and leave the word to it. One that whoever started the process had it ignore stays ignored, as by nohup.
void end_on_signals();

/// While an `Interruption` lives, the signals are noted instead: for a run that has more to save, or to say. Only one
/// lives at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;
  /// Has requested() also ask `asks`, where other signals than these end a run: those of Python's handlers.
  static void also_ask(std::function<bool()> asks);
  /// Returns the code to exit with where the last of them was requested.
  static int code();

 private:
  std::array<struct sigaction, kEndingSignals.size()> before_{};
};

/// Tells whether a command ended so, as shells have it: 128 and the signal's number.
inline constexpr bool is_interrupted(int code) {
  for (const int signal : kEndingSignals)
    if (code == 128 + signal) return true;
  return false;
}

}  // namespace mlsim::cli
