#include "sim/engine/child.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "core/errors.hpp"
#include "core/process/forked.hpp"

namespace mlsim::sim {
namespace {

// SimGrid prints a backtrace where it finds no memory. What an assertion or a sanitizer says is not lost.
void silence() {
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
#endif
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  const auto silent_work = [&] {
    silence();
    return work();
  };
  try {
    return forked(silent_work, {.process = "the simulation's process", .time_limit = {}}).outcome.value();
  } catch (const ProcessCrashed& e) {
    throw ProcessCrashed(std::string(e.what()) + "; is there enough memory?");
  }
}

}  // namespace mlsim::sim
