#include "reports/renderers/renderers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/text/errors.hpp"
#include "reports/renderers/html_text.hpp"
#include "reports_files.hpp"

namespace mlsim::reports {
namespace {

// The asset is empty where the build did not have it.
std::string_view asset(std::string_view path) {
  const auto& files = reports_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? std::string_view() : found->text;
}

std::string_view chart_library() {
  const std::string_view text = asset("chart.min.js");
  if (text.empty())
    throw Unavailable(
        "this mlsim was built without Chart.js, with which HTML reports draw; install libjs-chart.js and build it "
        "again, "
        "or write FILE.md");
  return text;
}

std::string cell_html(const TableCell& cell, const TableColumn& column, bool head) {
  const std::string text = html_text(cell.text);
  if (head) return fmt::format("<th scope=\"row\">{}</th>", text);
  return column.unit.empty() ? fmt::format("<td>{}</td>", text) : fmt::format("<td class=\"number\">{}</td>", text);
}

std::string table_html(const Table& table) {
  constexpr std::size_t kWide = 9;  // columns that paper has room for only in small print
  std::string out = fmt::format("<table id=\"table-{}\"{}>\n<caption>{}</caption>\n<thead><tr>", html_text(table.id),
                                table.columns.size() >= kWide ? " class=\"wide\"" : "", html_text(table.caption));
  for (const TableColumn& column : table.columns)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.unit.empty() ? "" : " class=\"number\"",
                       html_text(column.heading));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += cell_html(row[i], table.columns[i], i == 0);
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

// `BlockHtml` writes each kind of block.
struct BlockHtml {
  std::string operator()(const PageText& block) const { return fmt::format("<p>{}</p>\n", html_text(block.text)); }
  std::string operator()(const PageList& block) const {
    std::string out = fmt::format("<ul{}>\n", block.warnings ? " class=\"warnings\"" : "");
    for (const auto& item : block.items) out += fmt::format("<li>{}</li>\n", html_text(item));
    return out + "</ul>\n";
  }
  std::string operator()(const PageItems& block) const {
    std::string out = "<dl>\n";
    for (const PageItem& item : block.items)
      out += (item.label.empty() ? "" : fmt::format("<dt>{}</dt>", html_text(item.label))) +
             fmt::format("<dd>{}</dd>\n", html_text(item.text));
    return out + "</dl>\n";
  }
  std::string operator()(const PageVerbatim& block) const {
    return fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", html_text(block.text));
  }
  std::string operator()(const PageTable& block) const {
    const Table& table = block.table;
    const std::string id = html_text(table.id), caption = html_text(table.caption);
    const std::string inside = fmt::format(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{1}\" tabindex=\"0\">\n{2}</div>\n"
        "<p class=\"csv\"><a download=\"{0}.csv\" href=\"{3}\">{1} as CSV</a></p>\n",
        id, caption, table_html(table), data_link("text/csv", csv_text(table)));
    if (!block.folded) return inside;
    return fmt::format("<details{}>\n<summary>Table: {}</summary>\n{}</details>\n",
                       table.rows.size() > kPrintedRows ? " class=\"long\"" : "", caption, inside);
  }
  std::string operator()(const PageChart& chart) const {
    return fmt::format(
        "<figure>\n<figcaption>{1}</figcaption>\n<div class=\"chart\"><canvas id=\"chart-{0}\" role=\"img\" "
        "aria-label=\"{1}: {2} The numbers are in the table below.\"></canvas></div>\n</figure>\n",
        html_text(chart.id), html_text(chart.title), html_text(chart.summary));
  }
  std::string operator()(const PageTimeline& block) const {
    return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}{}</figure>\n", html_text(block.title),
                       timeline_svg(block.timeline, block.title, block.summary), kTimelineKey);
  }
  std::string operator()(const PageSliders& block) const {
    return fmt::format(
        "<form id=\"sliders-{0}\" class=\"sliders\" aria-label=\"Price, deadline and batch\"></form>\n"
        "<p id=\"answer-{0}\" class=\"slider-answer\" role=\"status\" aria-live=\"polite\"></p>\n"
        "<noscript><p>The sliders need JavaScript; the table below has all they would say.</p></noscript>\n",
        html_text(block.id));
  }

  static constexpr std::size_t kPrintedRows = 20;  // longer tables stay folded on paper
  static constexpr std::string_view kTimelineKey =
      "<ul class=\"key\"><li class=\"part-input\">input</li><li class=\"part-forward\">forward</li>"
      "<li class=\"part-backward\">backward</li><li class=\"part-exchange\">gradient exchange</li>"
      "<li class=\"part-optimizer\">optimizer</li></ul>\n";
};

std::string section_html(const PageSection& section) {
  std::string out = section.heading.empty()
                        ? "<section>\n"
                        : fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n",
                                      html_text(section.id), html_text(section.heading));
  for (const PageBlock& block : section.blocks) out += std::visit(BlockHtml{}, block);
  return out + "</section>\n";
}

std::string contents_html(const Page& page) {
  std::string out = "<nav aria-label=\"Contents\">\n<ul>\n";
  for (const PageSection& section : page.sections)
    if (!section.heading.empty())
      out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", html_text(section.id), html_text(section.heading));
  return out + "</ul>\n</nav>\n";
}

std::string header_html(const Page& page) {
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n", html_text(page.title));
  for (std::size_t i = 0; i < page.answer.size(); ++i)
    out += fmt::format("<p{}>{}</p>\n", i == 0 ? " class=\"answer\"" : "", html_text(page.answer[i]));
  return out + "</header>\n";
}

// The policy lets the page load nothing but what the file holds.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

}  // namespace

std::string chart_library_version() {
  constexpr std::string_view kBanner = "Chart.js v";
  const std::string_view text = chart_library();
  const std::size_t at = text.find(kBanner) + kBanner.size();
  return std::string(text.substr(at, text.find('\n', at) - at));
}

std::string page_html(const Page& page) {
  const std::string_view library = chart_library();
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      kPolicy, html_text(page.title), asset("page.css"));
  out += header_html(page) + contents_html(page) + "<main>\n";
  for (const PageSection& section : page.sections) out += section_html(section);
  out += fmt::format("</main>\n<footer><p>Made by {}.</p></footer>\n", html_text(page.made_by));
  out += "<script id=\"data\" type=\"application/json\">" + script_json(page_json(page)) + "</script>\n";
  for (const std::string_view script :
       {library, asset("quantity.js"), asset("charts.js"), asset("sliders.js"), asset("page.js")})
    out += fmt::format("<script>\n{}\n</script>\n", script);
  return out + "</body>\n</html>\n";
}

}  // namespace mlsim::reports
