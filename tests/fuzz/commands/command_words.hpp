// What a program says that it takes: names from its lists, settings from its help.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command_run.hpp"

namespace mlsim::test {

struct CommandWords {
  std::vector<std::string> topologies, workloads, accelerators, recipes, algorithms, stacks;
  std::map<std::string, std::vector<std::string>>
      settings;                                           // key -> forms of its value: "on", "TIME", "lognormal:SHARE"
  std::map<std::string, std::vector<std::string>> files;  // reader -> what it reads, the seeds of its fuzzing
};

/// Throws std::runtime_error where the program does not answer as it did when this was written.
CommandWords command_words(const CommandRunner& runner, const std::string& seeds);

}  // namespace mlsim::test
