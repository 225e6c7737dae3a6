#include "sim/stragglers/straggler_options.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("input delays have the quantiles of their distributions") {
  const double one_sigma = 0.5 * std::erfc(-1 / std::sqrt(2.0));
  CHECK(InputSkew{}.delay(0.9) == Seconds(0));
  CHECK(parse_input_skew("normal:2 ms").delay(one_sigma).value == Approx(2e-3));
  CHECK(parse_input_skew("normal:2 ms").delay(0.4) == Seconds(0));
  CHECK(parse_input_skew("exponential:2 ms").delay(1 - std::exp(-1.0)).value == Approx(2e-3));
  CHECK(parse_input_skew("lognormal:2 ms:0.5").delay(0.5).value == Approx(2e-3));
  CHECK(parse_input_skew("lognormal:2 ms:0.5").delay(one_sigma).value == Approx(2e-3 * std::exp(0.5)));
}

TEST_CASE("input skew that makes no sense is refused with what would") {
  const auto says = [](const std::string& text, const std::string& what) {
    INFO(text);
    CHECK_THROWS_WITH(parse_input_skew(text), ContainsSubstring(what));
  };
  says("lognormall:2 ms:1", "did you mean \"lognormal\"?");
  says("exponential", "write it as exponential:2 ms");
  says("lognormal:2 ms", "the median and the sigma");
  says("normal:2", "no unit");
  says("normal:2 h", "0 s to ");
  says("lognormal:2 ms:9", "0 to 5");
}
