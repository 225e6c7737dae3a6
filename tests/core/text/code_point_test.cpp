#include "core/text/code_point.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

int columns_of(std::string_view text) { return columns(first_code_point(text)); }

}  // namespace

TEST_CASE("a code point has one to four bytes") {
  CHECK(first_code_point("abc").value == U'a');
  CHECK(first_code_point("abc").bytes == 1);
  CHECK(first_code_point("\xc3\xa9!").value == U'\u00e9');
  CHECK(first_code_point("\xe6\xa8\xa1!").bytes == 3);
  CHECK(first_code_point("\xf0\x9f\x98\x80").value == U'\U0001F600');
  CHECK_FALSE(first_code_point("a").broken);
}

TEST_CASE("a stray, cut, overlong or surrogate sequence is one broken byte, and so is one beyond Unicode") {
  for (const char* text : {"\xff", "\x80", "\xc3", "\xc3(", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                           "\xf0\x82\x82\xac", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    CHECK(first_code_point(text).broken);
    CHECK(first_code_point(text).bytes == 1);
    CHECK(columns_of(text) == 1);
  }
}

TEST_CASE("wide characters take two columns, combining ones none") {
  CHECK(columns_of("a") == 1);
  CHECK(columns_of("\xe2\x96\x88") == 1);      // a full block
  CHECK(columns_of("\xe6\xa8\xa1") == 2);      // an ideograph
  CHECK(columns_of("\xf0\x9f\x98\x80") == 2);  // a face
  CHECK(columns_of("\xcc\x81") == 0);          // an acute accent over the letter before
  CHECK(columns_of("\xe2\x80\x8b") == 0);      // a space of no width
}

TEST_CASE("what a terminal would act on is a control character") {
  for (const char* text : {"\n", "\033", "\x7f", "\xc2\x9b", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    CHECK(is_control(first_code_point(text)));
  for (const char* text : {"a", " ", "\xc2\xa0", "\xff"}) CHECK_FALSE(is_control(first_code_point(text)));
}
