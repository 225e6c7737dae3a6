// A ChildProcess is forked and never outlives the process that forked it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>

namespace mlsim {

/// A ChildEnd says how a child ended, and what it and its own children used.
struct ChildEnd {
  int status = 0;  // as waitpid() says it
  rusage used{};
};

/// A child that `parent` has just forked calls this: the kernel kills it when that process ends, however that ends.
void die_with(pid_t parent);

/// A child shares a socket with this process. The kernel kills the child when this process ends, however that ends.
class ChildProcess {
 public:
  /// `work` runs in the child, which leaves after it, with status 1 where it throws; `work` gets the child's end of the
  /// socket. The caller must be single-threaded. Throws MachineFailed where there is no socket or no process to be had.
  explicit ChildProcess(const std::function<void(int socket)>& work);
  /// Kills a child that nobody has waited for.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int socket() const { return socket_; }
  void kill();
  /// Waits until the child has ended; call it once.
  ChildEnd wait();

 private:
  pid_t id_ = -1;
  int socket_ = -1;
};

}  // namespace mlsim
