#include "reports/renderers/renderers.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "page_fixture.hpp"
#include "reports/renderers/html_text.hpp"
#include "reports_files.hpp"

using namespace mlsim;
using namespace mlsim::test;
using namespace mlsim::reports;
using Catch::Matchers::ContainsSubstring;

namespace {

// Empty where this build has no Chart.js.
std::string built_page() {
  try {
    return page_html(small_page());
  } catch (const Unavailable& e) {
    CHECK_THAT(e.what(), ContainsSubstring("libjs-chart.js"));
    return {};
  }
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("what is markup becomes text, and groups of digits and units stay together") {
  CHECK(html_text("<a href=\"x\">&'") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  CHECK(html_text("1 281 167 epochs") == "1\u202f281\u202f167 epochs");
  CHECK(html_text("17.2 ms, 30 s.") == "17.2\u00a0ms, 30\u00a0s.");
  CHECK(html_text("in 2020 1234 runs of 8 accelerators") == "in 2020 1234 runs of 8 accelerators");
  CHECK(html_text("") == "");
}

TEST_CASE("JSON in a page ends no script element and stays the same JSON") {
  const std::string json = nlohmann::json{{"name", kHostile}, {"comment", "<!-- ]]>"}}.dump();
  const std::string inside = script_json(json);
  CHECK(inside.find_first_of("<>&") == std::string::npos);
  CHECK(nlohmann::json::parse(inside) == nlohmann::json::parse(json));
}

TEST_CASE("a link to a table's CSV has no character that a link may not have") {
  const std::string link = data_link("text/csv", "a,\"b\" <c>\r\n\xc3\x97");
  CHECK(link == "data:text/csv;charset=utf-8,a%2C%22b%22%20%3Cc%3E%0D%0A%C3%97");
}

TEST_CASE("numbers of a table are whole in CSV, with the unit in the heading") {
  const Page page = small_page();
  const std::string csv = csv_text(*tables_of(page).front());
  CHECK(csv == "accelerators,time (s),name\r\n1,0.0172,\"</script><b>\"\"two\"\" & 'one'\"\r\n4096,,\"a,b\"\r\n");
}

TEST_CASE("the data of a page are its tables' numbers, words and gaps") {
  const auto json = nlohmann::json::parse(page_json(small_page()));
  CHECK(json["tables"]["sizes"]["rows"] == nlohmann::json::parse("[[1, 0.0172, null], [4096, null, \"a,b\"]]")
                                               .patch({{{"op", "replace"}, {"path", "/0/2"}, {"value", kHostile}}}));
  CHECK(json["charts"][0]["series"][0]["y"] == 1);
  CHECK(json["charts"][0]["table"] == "sizes");
}

TEST_CASE("bytes that are no UTF-8 do not break a page's data") {
  Page page = small_page();
  page.title = "\xff name";
  CHECK(nlohmann::json::parse(page_json(page))["title"] == "\xef\xbf\xbd name");
}

TEST_CASE("a page has tables, charts and data, and names nothing outside itself") {
  const std::string page = built_page();
  if (page.empty()) return;
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(times(page, "<b>") == 0);
  CHECK(times(page, "</script>") == times(page, "<script"));
  CHECK_THAT(page, ContainsSubstring("<caption>Sizes | of it</caption>") && ContainsSubstring("id=\"chart-sizes\"") &&
                       ContainsSubstring("17.2\u00a0ms") && ContainsSubstring("default-src 'none'"));
  for (const char* outside : {" src=", "<link", "@import", "url("}) {
    // Chart.js and the page's own scripts speak of none of them as markup.
    CHECK(times(page.substr(0, page.find("<script")), outside) == 0);
  }
}

TEST_CASE("no script or style of the page's own would end its element") {
  for (const auto& file : reports_files()) {
    CHECK(file.text.find("</script") == std::string_view::npos);
    CHECK(file.text.find("</style") == std::string_view::npos);
    CHECK(file.text.size() > 100);
  }
}

TEST_CASE("markdown has the page's sentences and tables, and no markup of the user's") {
  const std::string text = page_markdown(small_page());
  CHECK_THAT(text, ContainsSubstring("It takes 30.4 s and costs 1 431 USD.") && ContainsSubstring("## One & all") &&
                       ContainsSubstring("| accelerators | time | name |\n|---:|---:|---|\n| 1 | 17.2 ms |") &&
                       ContainsSubstring("**Sizes \\| of it**") && ContainsSubstring("- item"));
  CHECK(text.find("<b>") == std::string::npos);
}
