// fuzz_commands PROGRAM SEED COMMANDS [SECONDS]: runs so many random commands, or until the time is over, and exits
// with 1 where one of them did what none may.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>

#include "command_complaint.hpp"
#include "command_grammar.hpp"

namespace {

using namespace mlsim::test;

int fuzz(const std::string& program, unsigned seed, int commands, double seconds) {
  const CommandRunner runner(program);
  CommandGrammar grammar(command_words(runner, MLSIM_SEEDS), seed);
  const auto begin = std::chrono::steady_clock::now();
  int tried = 0, wrong = 0;
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  for (; tried < commands && spent() < seconds; ++tried) {
    const std::string complaint = command_complaint(runner, grammar.next());
    if (complaint.empty()) continue;
    ++wrong;
    fmt::print("command {} of seed {}: {}\n", tried, seed, complaint);
    std::fflush(stdout);
  }
  fmt::print("{} commands of seed {} in {:.0f} s, {} wrong\n", tried, seed, spent(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: fuzz_commands PROGRAM SEED COMMANDS [SECONDS]\n");
    return 2;
  }
  try {
    return fuzz(argv[1], static_cast<unsigned>(std::atoi(argv[2])), std::atoi(argv[3]),
                argc > 4 ? std::atof(argv[4]) : std::numeric_limits<double>::infinity());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_commands: %s\n", error.what());
    return 2;
  }
}
