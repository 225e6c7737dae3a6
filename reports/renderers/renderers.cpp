#include "reports/renderers/renderers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/csv.hpp"
#include "reports/renderers/terminal_lines.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kItemMargin = 2, kItemIndent = 14;

// `BlockText` writes each kind of block.
struct BlockText {
  TextStyle style;

  TerminalLines lines() const { return TerminalLines(style.color, style.width); }

  std::string operator()(const PageText& block) const { return paragraph(block.text, style.width); }
  std::string operator()(const PageList& block) const {
    TerminalLines out = lines();
    for (const std::string& item : block.items)
      out.item(block.warnings ? "! " : "- ", item, kItemMargin, block.warnings ? Style::warning : Style::plain);
    return out.text();
  }
  std::string operator()(const PageItems& block) const {
    std::size_t indent = kItemIndent;
    for (const PageItem& item : block.items) indent = std::max(indent, text_width(item.label) + 2 * kItemMargin);
    TerminalLines out = lines();
    for (const PageItem& item : block.items)
      out.item(item.label.empty() ? "" : std::string(kItemMargin, ' ') + item.label, item.text, indent);
    return out.text();
  }
  std::string operator()(const PageVerbatim& block) const {
    return block.text.ends_with('\n') ? block.text : block.text + "\n";
  }
  std::string operator()(const PageTable& block) const { return to_text(block.table, style.width); }
  std::string operator()(const PageChart&) const { return {}; }
  std::string operator()(const PageTimeline&) const { return {}; }
  std::string operator()(const PageSliders&) const { return {}; }
};

bool is_word_at(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

// Tells whether the character would be markup: not "_" within a word, "*" by itself behind another word, "#" within a
// line.
bool is_markup(const std::string& text, std::size_t at) {
  switch (text[at]) {
    case '_': return at == 0 || !is_word_at(text, at - 1) || !is_word_at(text, at + 1);
    case '*': return at == 0 || text[at - 1] != ' ' || (at + 1 < text.size() && text[at + 1] != ' ');
    case '#': return at == 0;
    default: return std::string_view("\\`[]<>|").find(text[at]) != std::string_view::npos;
  }
}

// Markup characters are escaped, and a line stays one.
std::string markdown_text(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_markup(text, at)) out += '\\';
    out += text[at] == '\n' || text[at] == '\r' ? ' ' : text[at];
  }
  return out;
}

struct BlockMarkdown {
  std::string operator()(const PageText& block) const { return markdown_text(block.text) + "\n\n"; }
  std::string operator()(const PageList& block) const {
    std::string out;
    for (const auto& item : block.items) out += "- " + markdown_text(item) + "\n";
    return out + "\n";
  }
  std::string operator()(const PageItems& block) const {
    std::string out;
    for (const PageItem& item : block.items)
      out += "- " + (item.label.empty() ? "" : "**" + markdown_text(item.label) + "**: ") + markdown_text(item.text) +
             "\n";
    return out + "\n";
  }
  std::string operator()(const PageVerbatim& block) const {
    std::string out = "    ";
    for (const char c : block.text) out += c == '\n' ? "\n    " : std::string(1, c);
    return out + "\n\n";
  }
  std::string operator()(const PageTable& block) const {
    const std::string& caption = block.table.caption;
    return (caption.empty() ? "" : "**" + markdown_text(caption) + "**\n\n") + to_markdown(block.table) + "\n";
  }
  std::string operator()(const PageChart&) const { return {}; }
  std::string operator()(const PageTimeline&) const { return {}; }
  std::string operator()(const PageSliders&) const { return {}; }
};

bool has_unit(const TableColumn& column) {
  return !column.unit.empty() && column.unit != "1" && column.unit != "share";
}

}  // namespace

std::string page_text(const Page& page, const TextStyle& style) {
  TerminalLines head(style.color, style.width);
  if (!page.title.empty()) head.item("", page.title, 0, Style::bold);
  for (const std::string& sentence : page.answer) head.item("", sentence, 0);
  std::string out = head.text();
  for (const PageSection& section : page.sections) {
    std::string text;
    for (const PageBlock& block : section.blocks) text += std::visit(BlockText{style}, block);
    if (!text.empty()) out += (out.empty() ? "" : "\n") + text;
  }
  return out;
}

std::string to_markdown(const Table& table) {
  std::string out = "|", rule = "|";
  for (const TableColumn& column : table.columns) {
    out += " " + markdown_text(column.heading) + " |";
    rule += column.unit.empty() ? "---|" : "---:|";
  }
  out += "\n" + rule + "\n";
  for (const TableCells& row : table.rows) {
    out += "|";
    for (const TableCell& cell : row) out += " " + markdown_text(cell.text) + " |";
    out += "\n";
  }
  return out;
}

std::string page_markdown(const Page& page) {
  std::string out = page.title.empty() ? "" : "# " + markdown_text(page.title) + "\n\n";
  for (const std::string& sentence : page.answer) out += markdown_text(sentence) + "\n\n";
  for (const PageSection& section : page.sections) {
    if (!section.heading.empty()) out += "## " + markdown_text(section.heading) + "\n\n";
    for (const PageBlock& block : section.blocks) out += std::visit(BlockMarkdown{}, block);
  }
  return page.made_by.empty() ? out : out + "Made by " + markdown_text(page.made_by) + ".\n";
}

std::string csv_text(const Table& table) {
  std::string text;
  for (const TableColumn& column : table.columns) {
    text += text.empty() ? "" : ",";
    text += csv_field(has_unit(column) ? fmt::format("{} ({})", column.heading, column.unit) : column.heading);
  }
  text += "\r\n";
  for (const TableCells& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? "," : "") + (row[i].value ? fmt::format("{}", *row[i].value) : csv_field(row[i].text));
    text += "\r\n";
  }
  return text;
}

}  // namespace mlsim::reports
