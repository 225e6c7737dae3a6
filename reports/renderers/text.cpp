#include "reports/renderers/renderers.hpp"

#include <algorithm>

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

}  // namespace mlsim::reports
