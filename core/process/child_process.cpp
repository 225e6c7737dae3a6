#include "core/process/child_process.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim {

// A parent that died before prctl() could be called sends no signal any more.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

ChildProcess::ChildProcess(const std::function<void(int socket)>& work) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw MachineFailed(std::string("no socket to a child process: ") + std::strerror(errno));
  std::fflush(nullptr);  // a child that flushes stdout must not write again what its parent has buffered
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw MachineFailed(reason == ENOMEM ? "there is not enough memory for a child process"
                                         : std::string("no child process: ") + std::strerror(reason));
  }
  if (id_ == 0) {
    die_with(parent);
    ::close(ends[0]);
    try {
      work(ends[1]);
    } catch (...) {
      ::_exit(1);  // the parent's handlers are not the child's
    }
    ::_exit(0);  // nor are its buffered output and its destructors
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

ChildProcess::~ChildProcess() {
  ::close(socket_);
  if (id_ < 0) return;
  kill();
  wait();
}

void ChildProcess::kill() { ::kill(id_, SIGKILL); }

ChildEnd ChildProcess::wait() {
  ChildEnd end;
  const pid_t child = std::exchange(id_, -1);
  while (::wait4(child, &end.status, 0, &end.used) < 0 && errno == EINTR) continue;
  return end;
}

}  // namespace mlsim
