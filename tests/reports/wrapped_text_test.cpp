#include "reports/wrapped_text.hpp"

#include "catch.hpp"
#include "reports/figure_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

using Lines = std::vector<std::string>;

TEST_CASE("text is broken at spaces") {
  CHECK(wrapped("one two three", 8) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 7) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 6) == Lines{"one", "two", "three"});
  CHECK(wrapped("  one   two ", 20) == Lines{"one two"});
  CHECK(wrapped("", 20) == Lines{""});
}

TEST_CASE("a word wider than the line is broken between characters") {
  CHECK(wrapped("a bcdefgh i", 3) == Lines{"a", "bcd", "efg", "h i"});
  CHECK(wrapped("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == Lines{"\xc3\xa9\xc3\xa9", "\xc3\xa9"});
  CHECK(wrapped("\xe6\xa8\xa1\xe6\xa8\xa1", 3) == Lines{"\xe6\xa8\xa1", "\xe6\xa8\xa1"});
}

TEST_CASE("a long path is broken after a slash") {
  CHECK(wrapped("see github.com/owner/name/file", 14) == Lines{"see", "github.com/", "owner/name/", "file"});
  CHECK(wrapped("a/bcdefghijkl", 8) == Lines{"a/bcdefg", "hijkl"});
}

TEST_CASE("what a terminal would act on is not printed") {
  CHECK(printable("a\nb\tc\033[1md\x7f") == "a b c [1md ");
  CHECK(printable("\xff\xc3(\xed\xa0\x80") ==
        "?"
        "?(???");                       // a stray byte, a cut sequence, a surrogate
  CHECK(printable("\xc2\x9b") == " ");  // an 8-bit control character
  CHECK(printable("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
}

TEST_CASE("later lines of a labelled text stand behind its indent") {
  CHECK(labelled_text("! ", "one two three", 2, 9) == "! one two\n  three\n");
  CHECK(labelled_text("", "one two three", 2, 9) == "one two\n  three\n");
  CHECK(labelled_text("Label ", "", 6, 9) == "Label\n");
  CHECK(paragraph("one two three", 7) == "one two\nthree\n");
  CHECK(paragraph("a batch of 65 536 each", 12) == "a batch of\n65 536 each\n");
}

TEST_CASE("parts stay whole on a line where they can, and a line that goes on ends with what joins them") {
  using Lines = std::vector<std::string>;
  CHECK(joined_lines({"one", "two", "three"}, "; ", 9) == Lines{"one; two;", "three"});
  CHECK(joined_lines({"one", "two"}, "   ", 6) == Lines{"one", "two"});
  CHECK(joined_lines({"a long part", "b"}, "; ", 6) == Lines{"a", "long", "part;", "b"});
  CHECK(joined_lines({"one", "", "two"}, " - ", 20) == Lines{"one - two"});
  CHECK(joined_lines({}, "; ", 9).empty());
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(text_width("abc") == 3);
  CHECK(text_width("\xe2\x96\x88\xe2\x96\x8f") == 2);
  CHECK(text_width("\xe6\xa8\xa1") == 2);
  CHECK(text_width("e\xcc\x81") == 1);
  CHECK(text_width("\xff") == 1);
}

TEST_CASE("padding fills to the width") {
  CHECK(padded("ab", 4) == "ab  ");
  CHECK(padded("ab", 4, true) == "  ab");
  CHECK(padded("abcde", 4) == "abcde");
}

TEST_CASE("figures are short at any size") {
  CHECK(figure_text(PerSecond(945.4)) == "945 samples/s");
  CHECK(figure_text(PerSecond(12.34)) == "12.3 samples/s");
  CHECK(figure_text(PerSecond(23456)) == "23 456 samples/s");
  CHECK(figure_text(PerSecond(3.3e6)) == "3.30 M samples/s");
  CHECK(figure_text(44.27) == "44.3");
  CHECK(figure_text(1281167.0) == "1 281 167");
  CHECK(figure_text(3.2e20) == "3.2e+20");
  CHECK(figure_text(Seconds(0)) == "0 s");
  CHECK(figure_text(Seconds(1e300)) == "1e+300 s");
  CHECK(percent_text(0.7172) == "71.7 %");
  CHECK(percent_text(61.4) == "6 140 %");
  CHECK(interval_text<Seconds>({27, 37.8}) == "27.0 .. 37.8 s");
  CHECK(interval_text<Seconds>({0.5, 37.8}) == "500 ms .. 37.8 s");
}
