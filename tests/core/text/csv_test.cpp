#include "core/text/csv.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a table keeps its fields, its lines and its header") {
  const CsvTable table = parse_csv("a,b\n1,2\n\n3,\n", "t.csv");
  CHECK(table.header == std::vector<std::string>{"a", "b"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].fields == std::vector<std::string>{"1", "2"});
  CHECK(table.rows[0].line == 2);
  CHECK(table.rows[1].fields == std::vector<std::string>{"3", ""});
  CHECK(table.rows[1].line == 4);
}

TEST_CASE("lines before the header that begin with # are comments, and lines are counted with them") {
  const CsvTable table = parse_csv("# from there\n# in us\na,b\n#1,2\n", "t.csv");
  CHECK(table.header == std::vector<std::string>{"a", "b"});
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].line == 4);
  CHECK(table.rows[0].fields[0] == "#1");
  CHECK_THROWS_WITH(parse_csv("# a\na,a\n", "t.csv"), ContainsSubstring("t.csv:2: column \"a\" stands twice"));
  CHECK_THROWS_WITH(parse_csv("# a\n# b", "t.csv"), ContainsSubstring("holds comments only"));
}

TEST_CASE("quoted fields hold commas, doubled quotes and line ends") {
  const CsvTable table = parse_csv("a,b\n\"x, \"\"y\"\"\",\"two\nlines\"\n5,6\n", "t.csv");
  CHECK(table.rows[0].fields == std::vector<std::string>{"x, \"y\"", "two\nlines"});
  CHECK(table.rows[1].line == 4);
}

TEST_CASE("carriage returns at line ends, a byte-order mark and a missing last line end are accepted") {
  const CsvTable table = parse_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n3,4",
      "t.csv");
  CHECK(table.header[0] == "a");
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].fields[1] == "2");
  CHECK(table.rows[1].fields[1] == "4");
}

TEST_CASE("what a spreadsheet would take for a formula is written as text") {
  CHECK(csv_field("=HYPERLINK(\"http://x\",\"a\")") == "\"'=HYPERLINK(\"\"http://x\"\",\"\"a\"\")\"");
  CHECK(csv_field("@SUM(1).yaml") == "'@SUM(1).yaml");
  CHECK(csv_field("-1+cmd|' /C calc'!A0") == "'-1+cmd|' /C calc'!A0");
  CHECK(csv_field("\t=1") == "'\t=1");
  for (const char* plain : {"", "-", "-3 %", "+1.5e-3", "a=b", "dgx-a100", "'"}) CHECK(csv_field(plain) == plain);
}

TEST_CASE("a malformed table is refused with file and line") {
  const auto error = [](std::string_view text) { return [text] { parse_csv(text, "t.csv"); }; };
  CHECK_THROWS_WITH(error("")(), ContainsSubstring("t.csv:1: is empty"));
  CHECK_THROWS_WITH(error(" \n\n")(), ContainsSubstring("is empty"));
  CHECK_THROWS_WITH(error("a,a\n1,2\n")(), ContainsSubstring("column \"a\" stands twice"));
  CHECK_THROWS_WITH(error("a,,c\n")(), ContainsSubstring("column 2 of the header has no name"));
  CHECK_THROWS_WITH(error("a,b\n1,2,3\n4,5\n")(), ContainsSubstring("t.csv:2: has 3 fields where the header has 2"));
  CHECK_THROWS_WITH(error("a,b\n1,2\n3")(), ContainsSubstring("t.csv:3: has 1 fields") && ContainsSubstring("cut off"));
  CHECK_THROWS_WITH(error("a,b\n1,\"open\n2,3\n")(), ContainsSubstring("t.csv:2: a quoted field is never closed"));
  CHECK_THROWS_WITH(error("a,b\n1,x\"y\n")(), ContainsSubstring("t.csv:2: a quote stands inside a field"));
  CHECK_THROWS_WITH(error("a,b\n1,\"x\"y\n")(), ContainsSubstring("t.csv:2: text follows a closing quote"));
  CHECK_THROWS_WITH(error("a,b\n1\r,2\n")(), ContainsSubstring("t.csv:2: a carriage return"));
  CHECK_THROWS_WITH(error("a,b\n\"1\"\r2\n")(), ContainsSubstring("t.csv:2: text follows a closing quote"));
  CHECK_THROWS_WITH(error(std::string_view("a,b\n1,\0\n", 8))(), ContainsSubstring("t.csv:2: is not text"));
  const std::string endless(100000, 'y');
  CHECK_THROWS_WITH(error(endless + "," + endless + "\n")(), ContainsSubstring("...\" stands twice"));
}

TEST_CASE("a file that is missing or no file is refused by name") {
  CHECK_THROWS_WITH(load_csv("no-such-table.csv"), ContainsSubstring("no-such-table.csv: cannot be opened"));
  CHECK_THROWS_AS(load_csv("/"), InputError);
  const ScratchFolder folder;
  CHECK_THROWS_WITH(load_csv(folder.file("t.csv", "a,b\n1,\xff\n")), ContainsSubstring("t.csv:2: is not UTF-8 text"));
}
