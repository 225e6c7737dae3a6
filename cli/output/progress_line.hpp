// A progress line is one line on a terminal that says what the program is at and how far it is.
#pragma once

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// While a `ProgressLine` lives and stderr is a terminal, a line there is drawn over itself: what the program is at
/// (Activity), how far it is and for how long. Nothing is drawn within the first second; the line is wiped at its end.
/// A timer draws it, so that work neither looks at a clock nor waits for the terminal. Only one lives at a time.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
};

/// While a `WipedLine` lives, the line is wiped, for other words on the terminal.
class WipedLine {
 public:
  WipedLine();
  ~WipedLine();
  WipedLine(const WipedLine&) = delete;
  WipedLine& operator=(const WipedLine&) = delete;
};

/// Wipes the line if it is drawn; a signal's handler may call it.
void wipe_progress_line();

}  // namespace mlsim::cli
