#include "reports/renderers/renderers.hpp"

#include <random>
#include <sstream>

#include "catch.hpp"
#include "reports/wrapped_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("columns are aligned and end without spaces") {
  const Table table{"", "", {{"name"}, figure_column("size"), {"note"}}, {{"a", "1", "first"}, {"bcdefg", "1000", ""}}};
  CHECK(to_text(table) ==
        "name    size  note\n"
        "a          1  first\n"
        "bcdefg  1000\n");
}

TEST_CASE("a table without headings has no line for them") {
  CHECK(to_text(Table{"", "", {{""}, {""}}, {{"a", "b"}, {"c"}}}) == "a  b\nc\n");
  CHECK(to_text(Table{}) == "");
}

TEST_CASE("accents and wide characters keep columns aligned") {
  const Table table{"", "", {{""}, {""}}, {{"\xc3\xa9t\xc3\xa9", "x"}, {"\xe6\xa8\xa1", "x"}, {"e\xcc\x81", "x"}}};
  CHECK(to_text(table) == "\xc3\xa9t\xc3\xa9  x\n\xe6\xa8\xa1   x\ne\xcc\x81    x\n");
}

TEST_CASE("a cell too wide is wrapped in its column and loses nothing") {
  const Table table{"", "", {{"k"}, {"text"}}, {{"a", "one two three four"}, {"b", "five"}}};
  CHECK(to_text(table, 13) ==
        "k  text\n"
        "a  one two\n"
        "   three four\n"
        "b  five\n");
}

TEST_CASE("a column that stays whole leaves the wrapping to the others") {
  const Table table{"", "", {name_column("name"), {"text"}}, {{"a long name", "one two three"}}};
  CHECK(to_text(table, 20) ==
        "name         text\n"
        "a long name  one two\n"
        "             three\n");
}

TEST_CASE("headings give way first, and a narrow last column of words goes below its row") {
  const Table figures{"", "", {figure_column("a long heading"), {"text"}}, {{"1", "one two three"}}};
  CHECK(to_text(figures, 22) ==
        " a long  text\n"
        "heading\n"
        "      1  one two three\n");
  const std::string text = "a description that is longer than what is left of the line";
  const Table named{"", "", {name_column(std::string(40, 'n')), {"what it is"}}, {{"name", text}}};
  CHECK(to_text(named, 60) == std::string(40, 'n') + "\n    what it is\nname\n    " +
                                  "a description that is longer than what is left of the\n    line\n");
}

TEST_CASE("a last column of long names is below its rows rather than cut") {
  const std::string key = "kernel dense_weight_gradient fp32 128 2000 1";
  const Table table{
      "", "", {name_column("a"), figure_column("time"), name_column("subject")}, {{std::string(20, 'a'), "1 s", key}}};
  CHECK(to_text(table, 60) ==
        "a                     time\n    subject\n" + std::string(20, 'a') + "   1 s\n    " + key + "\n");
}

TEST_CASE("random tables stay within the page and keep every word") {
  std::mt19937_64 random(9);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  for (int i = 0; i < 200; ++i) {
    Table table;
    const std::size_t columns = 1 + below(6);
    std::size_t letters = 0;
    for (std::size_t c = 0; c < columns; ++c) table.columns.push_back({"h", below(2) ? "" : "1"});
    for (std::size_t r = 0; r < 4; ++r) {
      table.rows.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) {
        std::string cell;
        for (std::size_t w = below(12); w > 0; --w) cell += std::string(1 + below(30), 'w') + " ";
        letters += static_cast<std::size_t>(std::count(cell.begin(), cell.end(), 'w'));
        table.rows.back().push_back(cell);
      }
    }
    const std::string text = to_text(table, 60);
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), 'w')) == letters);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      CHECK(text_width(line) <= 60);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}
