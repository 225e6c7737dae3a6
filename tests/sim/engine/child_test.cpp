#include "sim/engine/child.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "core/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a simulation's process hands back its bytes or its error, and a crash names it") {
  CHECK(in_child([] { return std::string("done"); }) == "done");
  CHECK_THROWS_AS(in_child([]() -> std::string { throw Infeasible("too big"); }), Infeasible);
  CHECK_THROWS_WITH(in_child([]() -> std::string { std::_Exit(4); }),
                    "the simulation's process ended with exit status 4 before its result was complete; is there enough "
                    "memory?");
}
