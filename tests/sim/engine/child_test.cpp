#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "catch.hpp"
#include "core/errors.hpp"
#include "sim/engine/child.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a child hands back its bytes, also zeros and more than a pipe holds") {
  CHECK(in_child([] { return std::string(); }).empty());
  const std::string bytes("a\0b", 3);
  CHECK(in_child([&] { return bytes; }) == bytes);
  const std::string large(3000000, 'x');
  CHECK(in_child([&] { return large; }) == large);
}

TEST_CASE("an error in a child is thrown again with its type and text") {
  try {
    in_child([]() -> std::string { throw InputError("file.yaml:3", "unknown key: \"a:b\""); });
    FAIL("not thrown");
  } catch (const InputError& e) {
    CHECK(e.place() == "file.yaml:3");
    CHECK(e.reason() == "unknown key: \"a:b\"");
  }
  CHECK_THROWS_AS(in_child([]() -> std::string { throw Infeasible("too big"); }), Infeasible);
  CHECK_THROWS_WITH(in_child([]() -> std::string { throw Infeasible("too big"); }), "too big");
  CHECK_THROWS_AS(in_child([]() -> std::string { throw Unavailable("no GPU"); }), Unavailable);
  CHECK_THROWS_WITH(in_child([]() -> std::string { throw std::logic_error("broken"); }), "broken");
  CHECK_THROWS_WITH(in_child([]() -> std::string { throw 1; }), Catch::Matchers::ContainsSubstring("unknown error"));
}

TEST_CASE("a crash of a child is an error of the parent that says how it ended") {
  CHECK_THROWS_WITH(in_child([]() -> std::string {
                      std::signal(SIGABRT, SIG_DFL);
                      std::abort();
                    }),
                    Catch::Matchers::ContainsSubstring("signal Abort"));
  CHECK_THROWS_WITH(in_child([]() -> std::string { std::_Exit(4); }),
                    Catch::Matchers::ContainsSubstring("exit status 4"));
}

TEST_CASE("a child leaves no zombie and does not flush the parent's output a second time") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fputs("once", file);
  in_child([] { return std::string("done"); });
  std::fflush(file);
  CHECK(std::ftell(file) == 4);
  std::fseek(file, 0, SEEK_END);
  CHECK(std::ftell(file) == 4);
  std::fclose(file);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}
