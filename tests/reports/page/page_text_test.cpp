#include "reports/renderers/renderers.hpp"

#include "catch.hpp"
#include "page_fixture.hpp"

using namespace mlsim;
using namespace mlsim::test;
using namespace mlsim::reports;

TEST_CASE("a page is read on a terminal as its title, answer and blocks, with an empty line between sections") {
  Page page{"Title", {"It takes 30.4 s and costs 1 431 USD."}, {}, "mlsim"};
  page.add({PageItems{{{"Rent", "one two three four five"}, {"", "more"}}}});
  page.add({PageList{{"careful with that"}, true}, PageText{"Text."}, PageVerbatim{"  kept   as it is"}});
  CHECK(page_text(page, {28}) ==
        "Title\n"
        "It takes 30.4 s and costs\n"
        "1 431 USD.\n"
        "\n"
        "  Rent        one two three\n"
        "              four five\n"
        "              more\n"
        "\n"
        "! careful with that\n"
        "Text.\n"
        "  kept   as it is\n");
}

TEST_CASE("charts leave no trace in text, not even an empty line") {
  Page page;
  page.add({PageChart{"a", "Chart", "", "", 0, {}, {}, {}}});
  page.add({PageText{"Text."}});
  CHECK(page_text(page, {}) == "Text.\n");
}

TEST_CASE("markdown escapes what would be markup, and words with lines below them are not") {
  Page page;
  page.add({PageText{"time_to_target of *this* or 83 (90) * or _that_ # 1"}, PageItems{{{"Rent", "a|b"}}}});
  CHECK(page_markdown(page) == "time_to_target of \\*this\\* or 83 (90) * or \\_that\\_ # 1\n\n- **Rent**: a\\|b\n\n");
}
