// These renderers write a page and its tables as text, Markdown, HTML, CSV and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/wrapped_text.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::reports {

struct TextStyle {
  std::size_t width = 80;  // columns
  bool color = false;
};

/// Writes the title and the answer, then the sections without their headings, an empty line before each; what charts
/// show stands in the tables. Lines have at most `width` columns but for what stays as it is; no trailing spaces.
std::string page_text(const Page& page, const TextStyle& style);

/// Columns are two spaces apart, figures on the right; each line ends with a newline and without spaces. The line of
/// headings is left out where all are empty. Where the table is wider than `width` columns of the terminal, headings
/// are wrapped first, then words, then names, then figures; a last column of long names or narrow words goes below its
/// rows.
std::string to_text(const Table& table, std::size_t width = kPageWidth);

/// Markdown has the sentences, items, lists and tables of a page; what charts show stands in the tables.
std::string page_markdown(const Page& page);

/// Figures are on the right; words that would be markup are text.
std::string to_markdown(const Table& table);

/// The file holds styles, scripts and Chart.js; its tables are read without scripts too. Throws Unavailable where mlsim
/// was built without Chart.js.
std::string page_html(const Page& page);

/// Returns "3.9.1", for example. Throws Unavailable where mlsim was built without Chart.js.
std::string chart_library_version();

/// The JSON is one object: "title", "tables" by id with "caption", "columns" and "rows" (numbers in the columns' units,
/// words, or null), "charts" and "sliders". Bytes that are not UTF-8 become U+FFFD.
std::string page_json(const Page& page);

/// The text follows RFC 4180, with the unit behind each heading; numbers with all their digits.
std::string csv_text(const Table& table);

/// At most this many classes of ranks are drawn, the first ones; fewer where they have thousands of spans.
inline constexpr std::size_t kDrawnClasses = 8;

/// The drawing is an svg element as wide as its place. Spans of one part that follow each other more closely than a
/// thousandth of the step are drawn as one.
std::string timeline_svg(const Timeline& timeline, const std::string& title, const std::string& summary);

/// Says what each stream of the drawn classes does when: parts of the step, from, until, and how much of it at work.
Table timeline_table(const Timeline& timeline);

}  // namespace mlsim::reports
