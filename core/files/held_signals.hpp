// A moment in which Ctrl-C has to wait.
#pragma once

#include <array>
#include <csignal>

namespace mlsim {

/// What ends a program from outside, by the user, the system or a terminal that is closed.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// While it lives, they wait.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int signal : kEndingSignals) ::sigaddset(&all, signal);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace mlsim
