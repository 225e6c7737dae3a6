#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mlsim::cli {

std::function<void(int done, int all)> progress_of(const std::string& what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [what](int done, int all) {
    notice(fmt::format("\rmlsim: {} of {} {}{}", done, all, what, done == all ? "\n" : ""));
  };
}

}  // namespace mlsim::cli
