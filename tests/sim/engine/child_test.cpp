#include "sim/engine/child.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a simulation's process hands back its bytes or its error, and a crash names it") {
  CHECK(in_child([] { return std::string("done"); }) == "done");
  CHECK_THROWS_AS(in_child([]() -> std::string { throw Infeasible("too big"); }), Infeasible);
  CHECK_THROWS_WITH(in_child([]() -> std::string { std::_Exit(4); }),
                    "the simulation's process ended with exit status 4 before its result was complete");
}

#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("what a library writes of its own in a simulation's process reaches nobody") {
  const ScratchFolder folder;
  const std::string said = folder.path("said");
  const int before = ::dup(STDERR_FILENO), file = ::open(said.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::dup2(file, STDERR_FILENO);
  CHECK_THROWS_WITH(in_child([]() -> std::string {
                      std::fputs("The Impossible Did Happen\n", stderr);
                      std::_Exit(4);
                    }),
                    Catch::Matchers::ContainsSubstring("exit status 4"));
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(file);
  CHECK(text_of(said).empty());
}
#endif
