#include "core/shared_list.hpp"

#include <string>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("copies of a shared list are one list") {
  const SharedList<std::string> list{"a", "b"};
  const std::vector<SharedList<std::string>> copies{list, list};
  CHECK(&copies[0].front() == &copies[1].front());
  const std::vector<std::string>& items = list;
  CHECK(items == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a list that was made from nothing is empty") {
  CHECK(SharedList<int>().empty());
  CHECK(SharedList<int>(std::vector<int>(3)).size() == 3);
}
