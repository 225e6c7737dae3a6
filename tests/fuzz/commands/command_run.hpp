// A program run with some arguments: what it said, how it ended and what it took.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scratch_folder.hpp"

namespace mlsim::test {

struct CommandRun {
  int code = -1;   // -1: it did not exit by itself
  int signal = 0;  // that ended it, or 0
  std::string out, err;
  double seconds = 0;
  double mebibytes = 0;  // largest of its processes that it waited for
};

class CommandRunner {
 public:
  explicit CommandRunner(const std::string& program) : program_(std::filesystem::absolute(program).string()) {}

  /// In an empty folder. Killed where it takes longer than `patience_s`.
  CommandRun run(const std::vector<std::string>& arguments, double patience_s = 20) const;

 private:
  std::string program_;
  ScratchFolder scratch_;
};

/// "mlsim predict --set 'bucket=25 MiB'", as a shell reads it.
std::string shell_line(const std::vector<std::string>& arguments);

}  // namespace mlsim::test
