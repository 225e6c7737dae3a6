#include "core/text/split.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a text is split at every separator, and empty items are kept") {
  using Items = std::vector<std::string>;
  CHECK(split("a,b", ',') == Items{"a", "b"});
  CHECK(split("a,,b,", ',') == Items{"a", "", "b", ""});
  CHECK(split("", ',') == Items{""});
}
