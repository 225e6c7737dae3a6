#include "reports/wrapped_text.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "core/text/code_point.hpp"

namespace mlsim::reports {
namespace {

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// Counts the bytes of a long front of `word` within `width` columns, at least one code point.
std::size_t front_that_fits(std::string_view word, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < word.size()) {
    const auto point = first_code_point(word.substr(at));
    used += static_cast<std::size_t>(columns(point));
    if (used > width && at > 0) break;
    at += point.bytes;
  }
  if (at == word.size()) return at;
  // A long path reads best broken after a slash, the name of a system after the mark before an option, else a dash.
  for (const std::string_view marks : {"/:,", "-"})
    if (const auto mark = word.substr(0, at).find_last_of(marks); mark != std::string_view::npos && mark >= at / 2)
      return mark + 1;
  return at;
}

// Finds the end of the word that `text` begins with: a space within a number ends none.
std::size_t word_end(std::string_view text) {
  std::size_t end = text.find(' ');
  while (end != std::string_view::npos && separates_thousands(text, end)) end = text.find(' ', end + 1);
  return std::min(end, text.size());
}

}  // namespace

bool separates_thousands(std::string_view text, std::size_t at) {
  if (at == 0 || !digit_at(text, at - 1)) return false;
  for (std::size_t i = 1; i <= 3; ++i)
    if (!digit_at(text, at + i)) return false;
  return !digit_at(text, at + 4);
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    width += static_cast<std::size_t>(columns(point));
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    if (is_control(point)) {
      out += ' ';
    } else if (point.broken) {
      out += '?';
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  const std::string safe = printable(text);
  std::string_view rest = safe;
  std::vector<std::string> lines(1);
  while (!rest.empty()) {
    const auto space = word_end(rest);
    std::string_view word = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
    if (word.empty()) continue;
    const bool first = lines.back().empty();
    if (!first && text_width(lines.back()) + 1 + text_width(word) <= width) {
      lines.back().append(" ").append(word);
      continue;
    }
    if (!first) lines.emplace_back();
    while (text_width(word) > width) {
      const std::size_t bytes = front_that_fits(word, width);
      lines.back() = word.substr(0, bytes);
      word.remove_prefix(bytes);
      lines.emplace_back();
    }
    lines.back() = word;
  }
  return lines;
}

std::vector<std::string> labelled_lines(const std::string& label, std::string_view text, std::size_t indent,
                                        std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& part : wrapped(text, width - indent)) {
    std::string line = (lines.empty() ? label : std::string(indent, ' ')) + part;
    line.erase(line.find_last_not_of(' ') + 1);  // a label without text
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string labelled_text(const std::string& label, std::string_view text, std::size_t indent, std::size_t width) {
  std::string page;
  for (const std::string& line : labelled_lines(label, text, indent, width)) page += line + "\n";
  return page;
}

std::vector<std::string> joined_lines(const std::vector<std::string>& parts, std::string_view glue, std::size_t width) {
  const std::string_view end = glue.substr(0, glue.find_last_not_of(' ') + 1);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t room = i + 1 < parts.size() ? text_width(end) : 0;
    std::vector<std::string> of_part = wrapped(parts[i], width - room);
    if (of_part.front().empty()) continue;
    const bool behind = !lines.empty() && of_part.size() == 1 &&
                        text_width(lines.back()) + text_width(glue) + text_width(of_part.front()) + room <= width;
    if (behind) {
      lines.back().append(glue).append(of_part.front());
      continue;
    }
    if (!lines.empty()) lines.back() += end;
    std::move(of_part.begin(), of_part.end(), std::back_inserter(lines));
  }
  return lines;
}

std::string paragraph(std::string_view text, std::size_t width) { return labelled_text("", text, 0, width); }

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t used = text_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  return right ? fill + std::string(text) : std::string(text) + fill;
}

}  // namespace mlsim::reports
