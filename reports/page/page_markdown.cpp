#include "reports/page/page_markdown.hpp"

#include <fmt/format.h>

namespace mlsim::reports {
namespace {

// What would be markup is taken as it stands, and a line stays one.
std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
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
  std::string operator()(const PageCommand& block) const { return "    " + block.text + "\n\n"; }
  std::string operator()(const PageTableBlock& block) const {
    std::string out = "**" + markdown_text(block.table.caption) + "**\n\n|", rule = "|";
    for (const PageColumn& column : block.table.columns) {
      out += fmt::format(" {} |", markdown_text(column.heading));
      rule += column.unit.empty() ? "---|" : "---:|";
    }
    out += "\n" + rule + "\n";
    for (const auto& row : block.table.rows) {
      out += "|";
      for (const PageCell& cell : row) out += fmt::format(" {} |", markdown_text(cell.text));
      out += "\n";
    }
    return out + "\n";
  }
  std::string operator()(const PageChart&) const { return {}; }
  std::string operator()(const PageTimeline&) const { return {}; }
  std::string operator()(const PageSliders&) const { return {}; }
};

}  // namespace

std::string page_markdown(const ReportPage& page) {
  std::string out = "# " + markdown_text(page.title) + "\n\n";
  for (const std::string& sentence : page.answer) out += markdown_text(sentence) + "\n\n";
  for (const PageSection& section : page.sections) {
    out += "## " + markdown_text(section.heading) + "\n\n";
    for (const PageBlock& block : section.blocks) out += std::visit(BlockMarkdown{}, block);
  }
  return out + "Made by " + markdown_text(page.made_by) + ".\n";
}

}  // namespace mlsim::reports
