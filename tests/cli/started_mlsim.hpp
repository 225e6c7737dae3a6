// A running mlsim that a test can kill, with all that it starts.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

/// In a process group of its own, whose orphans become children of the test.
class StartedMlsim {
 public:
  /// `command` is for the shell, in `folder`; `prepare` runs in the process before.
  StartedMlsim(
      const std::string& folder, const std::string& command, const std::function<void()>& prepare = [] {}) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string line = "exec " + command;
    id_ = ::fork();
    if (id_ == 0) {
      ::setpgid(0, 0);
      if (::chdir(folder.c_str()) != 0) ::_exit(127);
      prepare();
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    ::setpgid(id_, id_);
  }
  ~StartedMlsim() {
    ::kill(-id_, SIGKILL);
    all_ended_within(std::chrono::seconds(20));
  }
  StartedMlsim(const StartedMlsim&) = delete;
  StartedMlsim& operator=(const StartedMlsim&) = delete;

  void kill() const { ::kill(id_, SIGKILL); }

  /// Its exit code, -1 where a signal ended it.
  int wait() const {
    int status = 0;
    ::waitpid(id_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Waits for a child of its own; 0 where it ends without one, or has none after half a minute.
  pid_t child() const {
    const std::string file = "/proc/" + std::to_string(id_) + "/task/" + std::to_string(id_) + "/children";
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
      pid_t child = 0;
      std::ifstream children(file);
      if (children >> child) return child;
      siginfo_t ended{};
      ::waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (!children.is_open() || ended.si_pid == id_ || std::chrono::steady_clock::now() > end) return 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// Whether it and all that it started are gone after so long.
  bool all_ended_within(std::chrono::milliseconds longest) const {
    const auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
      const pid_t ended = ::waitpid(-id_, nullptr, WNOHANG);
      if (ended < 0) return true;
      if (ended > 0) continue;
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  pid_t id_ = -1;
};
