#include "core/process/forked.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string result_of(const std::function<std::string()>& work) { return forked(work).outcome.value(); }

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// True where a process of that number is there and is no zombie of its parent.
bool is_running(pid_t id) {
  std::FILE* file = std::fopen(("/proc/" + std::to_string(id) + "/stat").c_str(), "r");
  if (file == nullptr) return false;
  char state = 'X';
  const bool read = std::fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
  std::fclose(file);
  return read && state != 'Z' && state != 'X';
}

bool ends_soon(pid_t id) {
  for (int i = 0; i < 500 && is_running(id); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !is_running(id);
}

}  // namespace

TEST_CASE("a child hands back its bytes, also zeros and more than a socket holds") {
  CHECK(result_of([] { return std::string(); }).empty());
  const std::string bytes("a\0b", 3);
  CHECK(result_of([&] { return bytes; }) == bytes);
  const std::string large(3000000, 'x');
  CHECK(result_of([&] { return large; }) == large);
}

TEST_CASE("an error in a child is thrown again with its type and text") {
  try {
    result_of([]() -> std::string { throw InputError("file.yaml:3", "unknown key: \"a:b\""); });
    FAIL("not thrown");
  } catch (const InputError& e) {
    CHECK(e.place() == "file.yaml:3");
    CHECK(e.reason() == "unknown key: \"a:b\"");
  }
  CHECK_THROWS_AS(result_of([]() -> std::string { throw Infeasible("too big"); }), Infeasible);
  CHECK_THROWS_WITH(result_of([]() -> std::string { throw Infeasible("too big"); }), "too big");
  CHECK_THROWS_AS(result_of([]() -> std::string { throw Unavailable("no GPU"); }), Unavailable);
  CHECK_THROWS_AS(result_of([]() -> std::string { throw MachineFailed("no process"); }), MachineFailed);
  CHECK_THROWS_AS(result_of([]() -> std::string { throw std::bad_alloc(); }), MachineFailed);
  CHECK_THROWS_WITH(result_of([]() -> std::string { throw std::logic_error("broken"); }), "broken");
  CHECK_THROWS_WITH(result_of([]() -> std::string { throw 1; }), ContainsSubstring("unknown error"));
}

TEST_CASE("a child that ends by its own fault has crashed, and the error says how") {
  const auto aborts = []() -> std::string {
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  };
  CHECK_THROWS_AS(result_of(aborts), ProcessCrashed);
  CHECK_THROWS_WITH(forked(aborts, {.process = "the clock's process", .time_limit = {}}).outcome.value(),
                    ContainsSubstring("the clock's process was ended by signal Abort"));
  const auto leaves = []() -> std::string { std::_Exit(4); };
  CHECK_THROWS_AS(result_of(leaves), ProcessCrashed);
  CHECK_THROWS_WITH(result_of(leaves), ContainsSubstring("exit status 4"));
}

TEST_CASE("a child that is killed from outside is a failure of the machine") {
  CHECK_THROWS_AS(result_of([]() -> std::string {
                    ::kill(::getpid(), SIGKILL);
                    hang();
                  }),
                  MachineFailed);
}

#ifndef __SANITIZE_ADDRESS__  // whose own new ends the process
TEST_CASE("a child that has no memory left is a failure of the machine, even where no error may pass") {
  const auto fills = []() noexcept { return std::string(std::size_t{1} << 60, 'x'); };
  CHECK_THROWS_AS(result_of(fills), MachineFailed);
  CHECK_THROWS_WITH(result_of(fills), "there is not enough memory for its process");
  const auto aborts = []() -> std::string {
    rlimit all{};
    ::getrlimit(RLIMIT_AS, &all);
    all.rlim_cur = std::min<rlim_t>(all.rlim_max, rlim_t{1} << 20);
    ::setrlimit(RLIMIT_AS, &all);
    std::abort();
  };
  CHECK_THROWS_AS(result_of(aborts), MachineFailed);
}
#endif

TEST_CASE("a child that takes longer than its limit is stopped") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_WITH(
      forked([]() -> std::string { hang(); }, {.process = "it", .time_limit = Seconds(0.2)}).outcome.value(),
      "it took longer than 0.2 s and was stopped");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(
      forked([] { return std::string("in time"); }, {.process = "it", .time_limit = Seconds(1e300)}).outcome.value() ==
      "in time");
}

TEST_CASE("a child's processor time and memory are counted") {
  constexpr std::size_t kTouched = 64 << 20;
  const Forked run = forked([] {
    std::string memory(kTouched, 'x');
    for (volatile int i = 0; i < 100'000'000;) i = i + 1;
    return std::string(1, memory.back());
  });
  CHECK(run.outcome.value() == "x");
  CHECK(run.user > Seconds(0.02));
  CHECK(run.wall > Seconds(0.04));
  CHECK(run.peak_memory > Bytes(kTouched));
}

TEST_CASE("a child and its own child do not outlive the process that forked them") {
  int ids[2];
  REQUIRE(::pipe(ids) == 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    forked([&]() -> std::string {
      return forked([&]() -> std::string {
               const pid_t both[2]{::getppid(), ::getpid()};
               if (::write(ids[1], both, sizeof both) < 0) std::_Exit(1);
               hang();
             })
          .outcome.value();
    });
    ::_exit(0);
  }
  pid_t both[2]{};
  REQUIRE(::read(ids[0], both, sizeof both) == sizeof both);
  CHECK(is_running(both[0]));
  CHECK(is_running(both[1]));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  CHECK(ends_soon(both[0]));
  CHECK(ends_soon(both[1]));
  ::close(ids[0]);
  ::close(ids[1]);
}

TEST_CASE("without a socket for a child the machine has failed") {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  rlimit none = files;
  none.rlim_cur = 3;
  ::setrlimit(RLIMIT_NOFILE, &none);
  CHECK_THROWS_AS(forked([] { return std::string(); }), MachineFailed);
  ::setrlimit(RLIMIT_NOFILE, &files);
}

TEST_CASE("a child leaves no zombie and does not flush the parent's output a second time") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fputs("once", file);
  result_of([] { return std::string("done"); });
  std::fflush(file);
  CHECK(std::ftell(file) == 4);
  std::fseek(file, 0, SEEK_END);
  CHECK(std::ftell(file) == 4);
  std::fclose(file);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}
