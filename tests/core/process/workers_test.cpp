#include "core/process/workers.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <set>
#include <thread>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> values(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> out;
  for (const Outcome& outcome : outcomes) out.push_back(outcome.value());
  return out;
}

WorkerOptions options_of(int workers) {
  WorkerOptions options;
  options.workers = workers;
  options.process = "its process";
  return options;
}

std::string process_number(std::size_t) { return std::to_string(::getpid()); }

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

}  // namespace

TEST_CASE("outcomes are in the order of the questions, whoever answers first") {
  const auto slow_at_first = [](std::size_t question) {
    std::this_thread::sleep_for(std::chrono::milliseconds(question < 2 ? 60 : 1));
    return std::to_string(question * question);
  };
  const std::vector<std::string> squares{"0", "1", "4", "9", "16", "25", "36"};
  for (const int workers : {1, 3, 50}) CHECK(values(worker_outcomes(7, slow_at_first, options_of(workers))) == squares);
  CHECK(worker_outcomes(0, slow_at_first, options_of(3)).empty());
}

TEST_CASE("a worker that is quicker gets more questions, and there are no more workers than asked for") {
  const auto first_is_slow = [](std::size_t question) {
    if (question == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return process_number(question);
  };
  const auto who = values(worker_outcomes(20, first_is_slow, options_of(2)));
  CHECK(std::set<std::string>(who.begin(), who.end()).size() == 2);
  for (std::size_t question = 1; question < 10; ++question) CHECK(who[question] != who[0]);
}

TEST_CASE("a question that crashes, hangs or is killed keeps that to itself, and the others are answered") {
  WorkerOptions options = options_of(2);
  options.time_limit = Seconds(2);
  const auto outcomes = worker_outcomes(
      12,
      [](std::size_t question) -> std::string {
        if (question == 1) {
          std::signal(SIGABRT, SIG_DFL);
          std::abort();
        }
        if (question == 4) wait_for_ever();
        if (question == 6) ::kill(::getpid(), SIGKILL);
        if (question == 8) std::_Exit(7);
        if (question == 9) throw Infeasible("too big");
        return std::to_string(question);
      },
      options);
  REQUIRE(outcomes.size() == 12);
  CHECK_THROWS_AS(outcomes[1].value(), MachineFailed);
  CHECK_THROWS_WITH(outcomes[1].value(), ContainsSubstring("its process was ended by signal Abort"));
  CHECK_THROWS_AS(outcomes[4].value(), TimedOut);
  CHECK_THROWS_WITH(outcomes[4].value(), "its process took longer than 2 s and was stopped");
  CHECK_THROWS_AS(outcomes[6].value(), MachineFailed);
  CHECK_THROWS_WITH(outcomes[8].value(), ContainsSubstring("exit status 7"));
  CHECK_THROWS_AS(outcomes[9].value(), Infeasible);
  for (const std::size_t question : {0, 2, 3, 5, 7, 10, 11})
    CHECK(outcomes[question].value() == std::to_string(question));
}

TEST_CASE("a question that the machine fails is asked again after the others, and named when that is of no use") {
  const ScratchFolder folder;
  // The file counts how often the question was asked.
  const auto times = [&](std::size_t question) { return folder.path(std::to_string(question)); };
  const auto answer = [&](std::size_t question) -> std::string {
    std::ofstream(times(question), std::ios::app) << '.';
    const std::size_t asked = text_of(times(question)).size();
    if (question == 1 && asked == 1) ::kill(::getpid(), SIGKILL);
    if (question == 2 && asked < 3) throw std::bad_alloc();
    if (question == 3) ::kill(::getpid(), SIGKILL);
    if (question == 4) throw Infeasible("too big");
    return std::to_string(question);
  };
  WorkerOptions options = options_of(2);
  options.name = [](std::size_t question) { return "row " + std::to_string(question); };
  std::vector<std::string> said;
  options.say = [&](const std::string& sentence) { said.push_back(sentence); };
  const auto outcomes = worker_outcomes(7, answer, options);
  for (const std::size_t question : {0, 1, 2, 5, 6}) CHECK(outcomes[question].value() == std::to_string(question));
  CHECK_THROWS_AS(outcomes[3].value(), MachineFailed);
  CHECK_THROWS_WITH(outcomes[3].value(), "row 3: its process was ended by signal Killed");
  CHECK_THROWS_AS(outcomes[4].value(), Infeasible);
  const std::vector<std::size_t> asked{1, 2, 3, 3, 1, 1, 1};
  for (std::size_t question = 0; question < 7; ++question) CHECK(text_of(times(question)).size() == asked[question]);
  std::sort(said.begin(), said.end());
  const std::string killed = ": its process was ended by signal Killed; it is asked again";
  const std::string no_memory = "row 2: there is not enough memory; it is asked again";
  CHECK(said == std::vector<std::string>{"row 1" + killed, no_memory, no_memory, "row 3" + killed, "row 3" + killed});
}

TEST_CASE("each question has the whole time limit") {
  WorkerOptions options = options_of(1);
  options.time_limit = Seconds(5);
  const auto outcomes = worker_outcomes(
      8,
      [](std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return std::string("in time");
      },
      options);
  for (const Outcome& outcome : outcomes) CHECK(outcome.value() == "in time");
}

TEST_CASE("outcomes are told as they arrive, and a listener that throws ends the workers") {
  std::set<std::size_t> seen;
  WorkerOptions options = options_of(3);
  options.arrived = [&](std::size_t question, const Outcome& outcome) {
    CHECK(outcome.value() == std::to_string(question));
    seen.insert(question);
  };
  const auto echo = [](std::size_t question) { return std::to_string(question); };
  worker_outcomes(10, echo, options);
  CHECK(seen.size() == 10);

  options.arrived = [](std::size_t, const Outcome&) { throw MachineFailed("enough"); };
  const auto first_answers = [](std::size_t question) -> std::string {
    if (question > 0) wait_for_ever();
    return "first";
  };
  CHECK_THROWS_WITH(worker_outcomes(10, first_answers, options), "enough");
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

namespace {

// Exit status of `test` where no more than so many processes of a user may live: as a user of its own, since the limit
// does not hold for root and counts everything that a user has running. 2: there is no such user here.
int status_with_processes(rlim_t most, const std::function<bool()>& test) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_NPROC, &limit);
    if (::geteuid() == 0 && ::setuid(100000 + static_cast<uid_t>(::getpid())) != 0) ::_exit(2);
    ::_exit(test() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("without a process to be had the machine has failed") {
  CHECK(status_with_processes(0,
                              [] {
                                try {
                                  worker_outcomes(3, process_number, options_of(2));
                                } catch (const MachineFailed&) {
                                  return true;
                                }
                                return false;
                              }) %
            2 ==
        0);
}

TEST_CASE("where there are fewer processes than asked for they answer everything") {
  if (::geteuid() != 0) {
    WARN("skipped: the other processes of this user count, too");
    return;
  }
  const int status = status_with_processes(3, [] {
    const auto who = values(worker_outcomes(20, process_number, options_of(8)));
    return std::set<std::string>(who.begin(), who.end()).size() == 2;
  });
  CHECK(status % 2 == 0);
}
