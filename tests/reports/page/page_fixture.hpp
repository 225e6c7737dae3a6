// A small page whose words would be markup if they were not text.
#pragma once

#include "reports/page/page.hpp"

namespace mlsim::test {

inline const std::string kHostile = "</script><b>\"two\" & 'one'";

inline reports::Page small_page() {
  using namespace reports;
  Page page;
  page.title = kHostile;
  page.answer = {"It takes 30.4 s and costs 1 431 USD."};
  page.made_by = "mlsim";
  Table table{"sizes", "Sizes | of it", {{"accelerators", "1"}, {"time", "s"}, {"name"}}};
  table.rows = {{count_cell(1), cell(Seconds(0.0172)), kHostile}, {count_cell(4096), {}, "a,b"}};
  PageChart chart{"sizes",
                  "Times",
                  "falls.",
                  "sizes",
                  0,
                  {"accelerators", "1", true},
                  {"time", "s", true},
                  {{"time", 1, SeriesStyle::line}}};
  page.sections = {{"one", "One & all", {PageText{"Text."}, PageList{{"item"}, true}, chart, PageTable{table, true}}}};
  return page;
}

}  // namespace mlsim::test
