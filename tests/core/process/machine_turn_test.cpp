#include "core/process/machine_turn.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "catch.hpp"

using namespace mlsim;

TEST_CASE("a process waits for the turn of another, is told which, and gets it when that one dies") {
  const std::string name = fmt::format("mlsim.test.{}", ::getpid());
  std::optional<MachineTurn> mine(std::in_place, name, [](const std::string&) {});
  const auto begin = std::chrono::steady_clock::now();
  const pid_t other = ::fork();
  REQUIRE(other >= 0);
  if (other == 0) {
    mine.reset();  // the copy that a fork has of the name
    std::string told;
    const MachineTurn turn(name, [&](const std::string& holder) { told = holder; });
    ::_exit(told == fmt::format("process {}", ::getppid()) ? 7 : 1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  mine.reset();
  int status = 0;
  REQUIRE(::waitpid(other, &status, 0) == other);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1200));
  const MachineTurn again(name, [](const std::string&) {});  // the other died with it
  const MachineTurn beside(name + ".other", [](const std::string&) {});
}
