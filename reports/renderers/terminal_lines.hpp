// `TerminalLines` gathers lines for a terminal; no other place knows of colours.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

enum class Style { plain, bold, warning };

class TerminalLines {
 public:
  explicit TerminalLines(bool color, std::size_t width = kPageWidth) : color_(color), width_(width) {}

  void line(const std::string& text, Style style = Style::plain);
  void lines(const std::vector<std::string>& texts, Style style = Style::plain);
  /// Adds text that is whole lines already.
  void block(const std::string& lines) { text_ += lines; }
  /// Adds `text` behind `label`, wrapped, later lines under the first.
  void item(const std::string& label, const std::string& text, std::size_t indent, Style style = Style::plain);

  std::size_t width() const { return width_; }
  const std::string& text() const { return text_; }

 private:
  bool color_;
  std::size_t width_;
  std::string text_;
};

}  // namespace mlsim::reports
