#include "sim/options/settings.hpp"
#include "catch.hpp"
#include "core/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("settings are read from one line") {
  const Settings settings = parse_settings("stack=mlperf-v0.7; data=real;");
  CHECK(settings == Settings{{"stack", "mlperf-v0.7"}, {"data", "real"}});
}

TEST_CASE("defects may be given several times and add up") {
  CHECK(parse_settings("slow_rank=1:0.5;slow_rank=2:0.9").at("slow_rank") == "1:0.5,2:0.9");
}

TEST_CASE("a wrong setting names the nearest right one") {
  CHECK_THROWS_WITH(parse_settings("stak=x"), ContainsSubstring("\"stack\""));
  CHECK_THROWS_WITH(parse_settings("data=reel"), ContainsSubstring("\"real\""));
  CHECK_THROWS_WITH(parse_settings("data"), ContainsSubstring("key=value"));
  CHECK_THROWS_WITH(parse_settings("data=real;data=real"), ContainsSubstring("twice"));
  CHECK_THROWS_AS(parse_settings("epochs=-1"), InputError);
  CHECK_THROWS_AS(parse_settings("bucket=25"), InputError);
  CHECK_THROWS_AS(parse_settings("slow_link=x0y0"), InputError);
}

TEST_CASE("the layout of a step is read from words and counts") {
  CHECK_NOTHROW(parse_settings("optimizer=lamb;multi_tensor=off;recompute=full;accumulation=4"));
  CHECK_THROWS_WITH(parse_settings("optimizer=lam"), ContainsSubstring("\"lamb\""));
  CHECK_THROWS_WITH(parse_settings("recompute=ful"), ContainsSubstring("\"full\""));
  CHECK_THROWS_AS(parse_settings("accumulation=0"), InputError);
  CHECK_THROWS_WITH(parse_settings("accumulation=100000"), ContainsSubstring("65536"));
}

TEST_CASE("every key has values and a meaning") {
  for (const auto& key : settings_keys()) {
    CHECK_FALSE(key.values.empty());
    CHECK_FALSE(key.meaning.empty());
    CHECK_FALSE(key.theme.empty());
  }
}
