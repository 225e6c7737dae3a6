#include "bench/cost.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>

#include "sim/engine/child.hpp"

namespace mlsim::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::optional<Cost> cost_of(const std::function<std::string()>& work, double limit_s) {
  const auto begin = std::chrono::steady_clock::now();
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe to the measured process");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process to measure in");
  if (child == 0) {
    close(ends[0]);
    setpgid(0, 0);  // the limit ends its children too
    std::string answer;
    int status = 0;
    try {
      answer = work();
    } catch (const std::exception& e) {
      answer = e.what();
      status = 1;
    }
    if (write(ends[1], answer.data(), answer.size()) < 0) status = 1;
    _exit(status);
  }
  close(ends[1]);
  setpgid(child, child);
  Cost cost;
  int status = 0;
  rusage used{};
  bool stopped = false;
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  while (wait4(child, &status, stopped ? 0 : WNOHANG, &used) == 0) {
    if (elapsed() > limit_s) {
      kill(-child, SIGKILL);
      stopped = true;
    } else {
      usleep(200);
    }
  }
  cost.wall_s = elapsed();
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    cost.answer.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  if (stopped) return std::nullopt;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("measured work failed: " + cost.answer);
  cost.user_s = seconds(used.ru_utime);
  cost.peak_mib = static_cast<double>(used.ru_maxrss) / 1024;  // Linux counts KiB
  return cost;
}

}  // namespace mlsim::bench
