#include "topologies/price/billing.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("seconds are billed as begun, a minute at least") {
  CHECK(billed_time(Billing::second, Seconds(13)).value == 60);
  CHECK(billed_time(Billing::second, Seconds(60)).value == 60);
  CHECK(billed_time(Billing::second, Seconds(60.2)).value == 61);
  CHECK(billed_time(Billing::second, Seconds(3600)).value == 3600);
}

TEST_CASE("minutes and hours are billed as begun") {
  CHECK(billed_time(Billing::minute, Seconds(30)).value == 600);
  CHECK(billed_time(Billing::minute, Seconds(601)).value == 660);
  CHECK(billed_time(Billing::minute, Seconds(660)).value == 660);
  CHECK(billed_time(Billing::hour, Seconds(1)).value == 3600);
  CHECK(billed_time(Billing::hour, Seconds(3600)).value == 3600);
  CHECK(billed_time(Billing::hour, Seconds(3601)).value == 7200);
}

TEST_CASE("a rounding error in a sum of seconds begins no new unit") {
  CHECK(billed_time(Billing::hour, Seconds(0.1 + 0.2 - 0.3 + 7200)).value == 7200);
  CHECK(billed_time(Billing::second, Seconds(100 * (1 + 1e-13))).value == 100);
}

TEST_CASE("what is billed is never less than what is held") {
  for (const Billing billing : {Billing::second, Billing::minute, Billing::hour})
    for (double held = 0.5; held < 1e6; held *= 1.7)
      CHECK(billed_time(billing, Seconds(held)).value >= held * (1 - 1e-9));
}

TEST_CASE("an unknown billing unit names the nearest") {
  CHECK_THROWS_WITH(parse<Billing>("hours"), ContainsSubstring("\"hour\""));
  for (const auto& word : names<Billing>()) CHECK(name(parse<Billing>(word)) == word);
}
