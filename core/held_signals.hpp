// A moment in which Ctrl-C has to wait.
#pragma once

#include <csignal>

namespace mlsim {

/// While it lives, SIGINT and SIGTERM wait.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t both;
    ::sigemptyset(&both);
    ::sigaddset(&both, SIGINT);
    ::sigaddset(&both, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace mlsim
