// The built mlsim while it runs: its words as they come, signals to it, and how it ends.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scratch_folder.hpp"

/// In a process group of its own, which is killed with it. Its stderr is a terminal or a pipe, its stdout nothing.
class RunningMlsim {
 public:
  enum class Stderr { terminal, pipe };

  RunningMlsim(const std::vector<std::string>& arguments, Stderr kind) {
    std::array<int, 2> ends{};  // ours, its
    const bool made = (kind == Stderr::terminal ? ::openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr)
                                                : ::pipe(ends.data())) == 0;
    if (!made) throw std::runtime_error("no terminal");
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    id_ = ::fork();
    if (id_ == 0) become(arguments, ends[1]);
    ::setpgid(id_, id_);
    ::close(ends[1]);
    stderr_ = ends[0];
  }
  ~RunningMlsim() {
    ::kill(-id_, SIGKILL);
    if (!ended_) ::waitpid(id_, nullptr, 0);
    ::close(stderr_);
  }
  RunningMlsim(const RunningMlsim&) = delete;
  RunningMlsim& operator=(const RunningMlsim&) = delete;

  /// All that it has said once it matches; all that it said within the seconds where it never does.
  const std::string& said(const std::string& pattern, double seconds) {
    const std::regex wanted(pattern);
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!std::regex_search(said_, wanted) && Clock::now() < end && read_some()) continue;
    return said_;
  }
  void signal(int number) const { ::kill(id_, number); }
  void signal_group(int number) const { ::kill(-id_, number); }
  bool wait_for_words(double seconds) const { return wait_readable(static_cast<int>(seconds * 1000)); }

  /// Its exit code; -1 where it has not ended within the seconds, or not by itself.
  int code_within(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!ended_ && Clock::now() < end) {
      if (wait_readable(5)) read_some();
      ended_ = ::waitpid(id_, &status_, WNOHANG) == id_;
    }
    while (ended_ && wait_readable(0) && read_some()) continue;
    return ended_ && WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  /// No process of its group is left within the seconds.
  bool alone_within(double seconds) const {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (::kill(-id_, 0) == 0 && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return ::kill(-id_, 0) != 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] static void become(const std::vector<std::string>& arguments, int err) {
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::vector<char*> words{const_cast<char*>(MLSIM_PROGRAM)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(MLSIM_PROGRAM, words.data());
    ::_exit(127);
  }

  bool wait_readable(int milliseconds) const {
    pollfd readable{stderr_, POLLIN, 0};
    return ::poll(&readable, 1, milliseconds) > 0;
  }

  // False where nothing more will come.
  bool read_some() {
    if (!wait_readable(50)) return true;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(stderr_, buffer.data(), buffer.size());
    if (count > 0) said_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  pid_t id_ = -1;
  int stderr_ = -1, status_ = 0;
  bool ended_ = false;
  std::string said_;
};

/// A file that nobody writes to yet: who reads it waits.
inline std::string late_file(const ScratchFolder& folder) {
  const std::string path = folder.path("late.yaml");
  if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error(path + ": cannot be made");
  return path;
}
