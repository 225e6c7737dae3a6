// Ctrl-C as a question that a long run asks itself.
#pragma once

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// While it lives, SIGINT and SIGTERM are noted instead of ending the program. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  bool requested() const;
};

/// As shells have it: 128 and the signal's number.
inline constexpr int kInterruptedCode = 130;

}  // namespace mlsim::cli
