#include "sim/engine/child.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "core/process/forked.hpp"
#include "sim/engine/simgrid_module.hpp"

namespace mlsim::sim {
namespace {

// SimGrid writes pages about its own failures, which the parent reports in a sentence. Debug and sanitizer builds keep
// stderr, because their messages are for those who build with them.
void silence_stderr() {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
#endif
}

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  simgrid_module();  // in the parent, once for all children
  const auto silent = [&] {
    silence_stderr();
    return work();
  };
  return forked(silent, {.process = "the simulation's process", .time_limit = {}}).outcome.value();
}

}  // namespace mlsim::sim
