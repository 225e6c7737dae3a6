#include "core/process/forked.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <new>
#include <utility>

#include "core/process/deadline.hpp"
#include "core/process/message.hpp"

namespace mlsim {
namespace {

Seconds seconds(const timeval& time) {
  return Seconds(static_cast<double>(time.tv_sec)) + microseconds(static_cast<double>(time.tv_usec));
}

// An error would have to pass through libraries that let none through.
void leave_without_memory() { ::_exit(kOutOfMemoryStatus); }

// A library in C aborts where malloc() has nothing for it; the library asked for less than this.
void leave_if_without_memory(int) {
  constexpr std::size_t kMuch = std::size_t{64} << 20;
  if (::mmap(nullptr, kMuch, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    leave_without_memory();
}  // else abort() goes on

enum class Wait { message, end, time_out };

Wait wait_for_message(int socket, const Deadline& deadline, std::string& message) {
  MessageReader reader;
  for (;;) {
    if (auto whole = reader.take()) {
      message = std::move(*whole);
      return Wait::message;
    }
    pollfd readable{socket, POLLIN, 0};
    if (::poll(&readable, 1, deadline.poll_ms()) > 0) {
      if (!reader.read(socket)) return Wait::end;
    } else if (deadline.passed()) {
      return Wait::time_out;
    }
  }
}

}  // namespace

Forked forked(const std::function<std::string()>& work, const ForkOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Deadline deadline(options.time_limit);
  ChildProcess child([&](int socket) {
    std::set_new_handler(leave_without_memory);
    std::signal(SIGABRT, leave_if_without_memory);
    send_message(socket, packed_outcome(work));
  });
  std::string message;
  const Wait waited = wait_for_message(child.socket(), deadline, message);
  if (waited == Wait::time_out) child.kill();
  const ChildEnd end = child.wait();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  Outcome outcome = waited == Wait::message    ? unpacked_outcome(message)
                    : waited == Wait::time_out ? timed_out(*options.time_limit, options.process)
                                               : outcome_of(end, options.process);
  return {std::move(outcome), Seconds(wall.count()), seconds(end.used.ru_utime),
          Bytes(1024 * static_cast<double>(end.used.ru_maxrss))};  // Linux counts KiB
}

}  // namespace mlsim
