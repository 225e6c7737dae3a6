// HeldSignals makes Ctrl-C wait for a moment.
#pragma once

#include <array>
#include <csignal>

namespace mlsim {

/// These signals end a program from outside: the user, the system or a closed terminal sends them.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP};

/// While a HeldSignals lives, the ending signals wait.
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
