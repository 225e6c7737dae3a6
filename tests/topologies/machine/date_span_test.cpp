#include "topologies/machine/date_span.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using std::chrono::December;
using std::chrono::February;
using std::chrono::March;

TEST_CASE("a month is all of its days, a day is itself") {
  CHECK(parse_date_span("2018-12") == DateSpan{2018y / December / 1, 2018y / December / 31});
  CHECK(parse_date_span("2020-02").last == 2020y / February / 29);
  CHECK(parse_date_span("2019-02").last == 2019y / February / 28);
  CHECK(parse_date_span("2018-12-03") == DateSpan{2018y / December / 3, 2018y / December / 3});
  CHECK(month_text(2018y / March / 31) == "2018-03");
}

TEST_CASE("what is no date is refused") {
  for (const char* text : {"", "2018", "2018-1", "18-12", "2018/12", "2018-12-", "2018-12-3", "2018-12-031", "-018-12",
                           "2018-+1", "december", "2018-12 ", "2018-1x"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_date_span(text), InputError);
    CHECK_THROWS_WITH(parse_date_span(text), ContainsSubstring("is no date"));
  }
  for (const char* text : {"2018-13", "2018-00", "0000-12", "1969-12"})
    CHECK_THROWS_WITH(parse_date_span(text), ContainsSubstring("no such month"));
  for (const char* text : {"2019-02-29", "2018-04-31", "2018-04-00"})
    CHECK_THROWS_WITH(parse_date_span(text), ContainsSubstring("no such day"));
}
