#include "room_circles.hpp"

#include "catch.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;

using Circles = std::vector<std::string>;

TEST_CASE("the rooms of sim include one another without a circle") {
  CHECK(room_circles(MLSIM_SOURCE_DIR, "sim") == Circles{});
}

TEST_CASE("a circle of rooms is found from each of them, and a chain is none") {
  const ScratchFolder folder;
  folder.file("sim/a/one.cpp", "#include \"sim/b/two.hpp\"\n#include \"sim/a/one.hpp\"\n");
  folder.file("sim/b/deep/two.hpp", "#include \"sim/c/three.hpp\"\n#include \"core/units.hpp\"\n");
  folder.file("sim/namespace.hpp", "#include \"sim/a/one.hpp\"\n");
  CHECK(room_circles(folder.path(), "sim") == Circles{});
  folder.file("sim/c/three.hpp", "#include \"sim/b/two.hpp\"\n");
  CHECK(room_circles(folder.path(), "sim") == Circles{"b > c > b", "c > b > c"});
}
