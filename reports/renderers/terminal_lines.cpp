#include "reports/renderers/terminal_lines.hpp"

#include <array>

namespace mlsim::reports {

void TerminalLines::line(const std::string& text, Style style) {
  static constexpr std::array<const char*, 3> kCodes{"", "\033[1m", "\033[33m"};
  const bool painted = color_ && style != Style::plain && !text.empty();
  text_ += painted ? kCodes[static_cast<std::size_t>(style)] + text + "\033[0m\n" : text + "\n";
}

void TerminalLines::lines(const std::vector<std::string>& texts, Style style) {
  for (const std::string& text : texts) line(text, style);
}

void TerminalLines::item(const std::string& label, const std::string& text, std::size_t indent, Style style) {
  lines(labelled_lines(padded(label, indent), text, indent, width_), style);
}

}  // namespace mlsim::reports
