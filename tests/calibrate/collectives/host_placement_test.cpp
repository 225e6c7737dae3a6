#include "calibrate/collectives/world.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::test {

TEST_CASE("ranks of one host name share a node, wherever they stand") {
  const HostPlacement placement = placement_of({"a", "b", "a", "b"});
  CHECK(placement.nodes() == 2);
  CHECK(placement.ranks_per_node() == 2);
  CHECK(placement.node_of == std::vector<int>{0, 1, 0, 1});
  CHECK(placement.local_rank_of == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE("hosts with different numbers of ranks are refused by name") {
  CHECK_THROWS_WITH(placement_of({"a", "a", "b"}).ranks_per_node(),
                    Catch::Matchers::ContainsSubstring("a has 2 and b has 1"));
}

}  // namespace mlsim::test
