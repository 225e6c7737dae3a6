#include "core/text/words.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace fruit {

enum class Fruit { apple, dark_plum };

inline Words<Fruit> words(Fruit) { return {"fruit", {"apple", "dark-plum"}, {{"damson", Fruit::dark_plum}}}; }

enum class Wordless { one };

}  // namespace fruit

using fruit::Fruit;

TEST_CASE("an enumeration with a table has names, in the order of its values") {
  CHECK(names<Fruit>() == std::vector<std::string>{"apple", "dark-plum"});
  CHECK(name(Fruit::dark_plum) == "dark-plum");
}

TEST_CASE("a word is read back as the value that it names") {
  CHECK(parse<Fruit>("apple") == Fruit::apple);
  CHECK(parse<Fruit>("dark-plum") == Fruit::dark_plum);
}

TEST_CASE("another spelling is read, and not written") {
  CHECK(parse<Fruit>("damson") == Fruit::dark_plum);
  CHECK(name(parse<Fruit>("damson")) == "dark-plum");
}

TEST_CASE("an unknown word is an error that names the nearest right one") {
  CHECK_THROWS_WITH(parse<Fruit>("aple"), ContainsSubstring("unknown fruit \"aple\"; did you mean \"apple\"?"));
  CHECK_THROWS_WITH(parse<Fruit>("zzzzzzzz"), ContainsSubstring("known: apple, dark-plum"));
}

TEST_CASE("only an enumeration with a table has words") {
  STATIC_REQUIRE(Worded<Fruit>);
  STATIC_REQUIRE_FALSE(Worded<fruit::Wordless>);
  STATIC_REQUIRE_FALSE(Worded<int>);
}
