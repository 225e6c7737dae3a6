#include "sim/engine/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "core/errors.hpp"

namespace mlsim::sim {
namespace {

// The first byte of what the child writes; a child that crashed has not written its last byte.
namespace tag {
constexpr char answer = 'a', input_error = 'i', infeasible = 'f', unavailable = 'u', other_error = 'e';
}
constexpr char last_byte = '.';

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n > 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      return;  // the parent has gone: nobody is left to tell
  }
}

std::string read_all(int file) {
  std::string bytes;
  char buffer[65536];
  for (;;) {
    const ssize_t n = read(file, buffer, sizeof buffer);
    if (n > 0)
      bytes.append(buffer, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return bytes;
  }
}

std::string outcome(const std::function<std::string()>& work) {
  try {
    return tag::answer + work();
  } catch (const InputError& e) {
    return tag::input_error + std::to_string(e.place().size()) + ":" + e.place() + e.reason();
  } catch (const Infeasible& e) {
    return tag::infeasible + std::string(e.what());
  } catch (const Unavailable& e) {
    return tag::unavailable + std::string(e.what());
  } catch (const std::exception& e) {
    return tag::other_error + std::string(e.what());
  } catch (...) {
    return tag::other_error + std::string("unknown error in the child process");
  }
}

std::string result_or_throw(const std::string& outcome) {
  std::string text = outcome.substr(1, outcome.size() - 2);
  switch (outcome.front()) {
    case tag::answer: return text;
    case tag::infeasible: throw Infeasible(text);
    case tag::unavailable: throw Unavailable(text);
    case tag::input_error: {
      const std::size_t colon = text.find(':');
      const std::size_t length = std::stoul(text.substr(0, colon));
      throw InputError(text.substr(colon + 1, length), text.substr(colon + 1 + length));
    }
    default: throw std::runtime_error(text);
  }
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) return std::string("was ended by signal ") + strsignal(WTERMSIG(status));
  return "ended with exit status " + std::to_string(WEXITSTATUS(status)) + " before its result was complete";
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::string("no pipe to a child: ") + std::strerror(errno));
  std::fflush(nullptr);  // SimGrid flushes stdout, and what the parent has buffered must not be written twice
  const pid_t child = fork();
  if (child < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    throw std::runtime_error(std::string("no child process: ") + std::strerror(reason));
  }
  if (child == 0) {
    close(ends[0]);
    write_all(ends[1], outcome(work) + last_byte);
    _exit(0);  // the parent's buffered output and its destructors are not the child's
  }
  close(ends[1]);
  const std::string bytes = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (bytes.size() < 2 || bytes.back() != last_byte || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the simulation's process " + ending(status));
  return result_or_throw(bytes);
}

}  // namespace mlsim::sim
