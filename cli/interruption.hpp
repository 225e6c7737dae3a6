// Ctrl-C as a question that a long run asks itself.
#pragma once

#include <signal.h>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// While it lives, SIGINT and SIGTERM are noted instead of what they did before. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;

 private:
  struct sigaction on_interrupt_ {
  }, on_terminate_{};  // before
};

/// As shells have it: 128 and the signal's number.
inline constexpr int kInterruptedCode = 130;

}  // namespace mlsim::cli
