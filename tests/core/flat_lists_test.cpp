#include "core/flat_lists.hpp"

#include <vector>

#include "catch.hpp"

using namespace mlsim;

namespace {

FlatLists lists_of(const std::vector<std::vector<std::uint32_t>>& lists) {
  FlatLists flat;
  for (const auto& list : lists) {
    for (const std::uint32_t element : list) flat.push(element);
    flat.close();
  }
  return flat;
}

std::vector<std::uint32_t> list(const FlatLists& lists, std::size_t place) {
  const auto found = lists[place];
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("lists come back as they were added, empty ones too") {
  const auto flat = lists_of({{}, {0, 0}, {}, {2, 1}});
  REQUIRE(flat.size() == 4);
  CHECK(list(flat, 0).empty());
  CHECK(list(flat, 1) == std::vector<std::uint32_t>{0, 0});
  CHECK(list(flat, 2).empty());
  CHECK(list(flat, 3) == std::vector<std::uint32_t>{2, 1});
}

TEST_CASE("reversed lists say who holds a number, in order, and reversed twice they are sorted") {
  const auto back = reversed(lists_of({{3}, {3, 0}, {}, {1}}));
  REQUIRE(back.size() == 4);
  CHECK(list(back, 0) == std::vector<std::uint32_t>{1});
  CHECK(list(back, 1) == std::vector<std::uint32_t>{3});
  CHECK(list(back, 2).empty());
  CHECK(list(back, 3) == std::vector<std::uint32_t>{0, 1});
  CHECK(list(reversed(back), 1) == std::vector<std::uint32_t>{0, 3});
  CHECK(reversed(lists_of({})).size() == 0);
}
