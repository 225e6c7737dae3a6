#include "core/units.hpp"

#include <string>
#include <type_traits>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

static_assert(std::is_same_v<decltype(Bytes(1) / BytesPerSecond(1)), Seconds>);
static_assert(std::is_same_v<decltype(Seconds(1) / Seconds(1)), double>);
static_assert(std::is_same_v<decltype(UsdPerSecond(1) * Seconds(1)), Usd>);
static_assert(!Addable<Seconds, Bytes>);

TEST_CASE("a size over a bandwidth is a time") {
  CHECK((mebibytes(100) / gigabytes_per_second(50)).value == Approx(104857600.0 / 50e9));
}

TEST_CASE("bits and bytes, powers of 1000 and of 1024 are told apart") {
  CHECK(parse_quantity<BytesPerSecond>("400 Gbit/s").value == Approx(50e9));
  CHECK(parse_quantity<BytesPerSecond>("50GB/s").value == Approx(50e9));
  CHECK(parse_quantity<Bytes>("1 MiB").value == 1048576);
  CHECK(parse_quantity<Bytes>("1 MB").value == 1000000);
  CHECK(parse_quantity<Seconds>("5 us").value == Approx(5e-6));
  CHECK(parse_quantity<UsdPerSecond>("36 USD/h").value == Approx(0.01));
}

TEST_CASE("a wrong unit names the nearest right one") {
  CHECK_THROWS_WITH(parse_quantity<BytesPerSecond>("50 GBs"), Catch::Matchers::ContainsSubstring("\"GB/s\""));
  CHECK_THROWS_WITH(parse_quantity<Seconds>("5"), Catch::Matchers::ContainsSubstring("has no unit"));
  for (const std::string text : {"", "abc", "nan s", "inf s", "1e999 s", "5 parsecs", "-"}) {
    CHECK_THROWS_AS(parse_quantity<Seconds>(text), InputError);
  }
}

TEST_CASE("printed quantities keep three digits and a readable prefix") {
  CHECK(to_text(Seconds(0.01984)) == "19.8 ms");
  CHECK(to_text(Seconds(75)) == "75.0 s");
  CHECK(to_text(Seconds(0)) == "0 s");
  CHECK(to_text(gigabytes_per_second(82)) == "82.0 GB/s");
  CHECK(to_text(mebibytes(25.6)) == "25.6 MiB");
  CHECK(to_text(Usd(31.94)) == "31.94 USD");
  CHECK(count_text(1281167) == "1 281 167");
  CHECK(count_text(-100) == "-100");
}

TEST_CASE("what is printed is read back") {
  for (const double seconds : {3e-9, 4.5e-6, 0.0123, 1.5, 600.0, 7300.0}) {
    CHECK(parse_quantity<Seconds>(to_text(Seconds(seconds))).value == Approx(seconds).epsilon(6e-3));
  }
}

TEST_CASE("a count is whole and in range") {
  CHECK(parse_count("4096") == 4096);
  for (const std::string text : {"", "0", "-3", "1.5", "12x", "99999999999999999999", "3000000000"}) {
    CHECK_THROWS_AS(parse_count(text), InputError);
  }
}
