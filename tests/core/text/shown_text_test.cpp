#include "core/text/spelling.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("what a terminal would act on, and bytes that are no text, are shown as numbers") {
  CHECK(shown_text("plain, \xc3\xa9 and \xe6\xa8\xa1") == "plain, \xc3\xa9 and \xe6\xa8\xa1");
  CHECK(shown_text("\x1b[31mred\x7f") == "\\x1b[31mred\\x7f");
  CHECK(shown_text("two\nlines\r") == "two\\x0alines\\x0d");
  CHECK(shown_text("\xff\xfe") == "\\xff\\xfe");
  CHECK(shown_text("\xc2\x9b"
                   "31m") == "\\xc2\\x9b31m");                 // the one-byte form of ESC [
  CHECK(shown_text("a\xe2\x80\xa8z") == "a\\xe2\\x80\\xa8z");  // a separator of lines
  CHECK(shown_text("a\xe2\x80\xaez") == "a\\xe2\\x80\\xaez");  // U+202E, from right to left
  CHECK(shown_text("a\xe2\x81\xa6z\xd8\x9c") == "a\\xe2\\x81\\xa6z\\xd8\\x9c");
  const std::string once = shown_text("\x1b\xff");
  CHECK(shown_text(once) == once);
}

TEST_CASE("a text without end is cut, by characters and not within one") {
  CHECK(shown_text(std::string(100000, 'y')).size() == 2003);
  CHECK(shown_text("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9...");
  CHECK(shown_text("ab", 2) == "ab");
  CHECK(checked_name("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK_THROWS_WITH(checked_name("a\x1b["), Catch::Matchers::ContainsSubstring("\"a\\x1b[\" is no name"));
  CHECK(in_quotes("word") == "\"word\"");
  CHECK(in_quotes(std::string(81, 'y')) == "\"" + std::string(80, 'y') + "...\"");
}
