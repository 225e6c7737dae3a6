#include "reports/wrapped_text.hpp"

#include <algorithm>
#include <array>

namespace mlsim::reports {
namespace {

struct CodePoint {
  char32_t value = 0;  // kBroken where the bytes are not UTF-8
  std::size_t bytes = 1;
};
constexpr char32_t kBroken = 0xFFFFFFFF;

// The code point at the front of `text`, which is not empty (RFC 3629).
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 && lead < 0xF5   ? 4
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xC2 && lead < 0xE0 ? 2
                                                          : 0;
  if (bytes == 0 || text.size() < bytes) return {kBroken, 1};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {kBroken, 1};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest[bytes] || value > 0x10FFFF || surrogate) return {kBroken, 1};
  return {value, bytes};
}

struct Range {
  char32_t first, last;
};
constexpr std::array<Range, 3> kNoColumn{{{0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 10> kTwoColumns{{{0x1100, 0x115F},
                                             {0x2E80, 0x303E},
                                             {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1FAFF},
                                             {0x20000, 0x3FFFD}}};

template <std::size_t N>
bool in(const std::array<Range, N>& ranges, char32_t value) {
  return std::any_of(ranges.begin(), ranges.end(), [&](Range r) { return value >= r.first && value <= r.last; });
}

std::size_t width_of(char32_t value) {
  if (value == kBroken) return 1;
  if (in(kNoColumn, value)) return 0;
  return in(kTwoColumns, value) ? 2 : 1;
}

// Bytes of a long front of `word` within `width` columns, at least one code point.
std::size_t front_that_fits(std::string_view word, std::size_t width) {
  std::size_t at = 0, used = 0;
  while (at < word.size()) {
    const auto point = first_code_point(word.substr(at));
    used += width_of(point.value);
    if (used > width && at > 0) break;
    at += point.bytes;
  }
  // A long path reads best broken after a slash, the name of a system after the mark before an option.
  const auto mark = word.substr(0, at).find_last_of("/:,");
  return at < word.size() && mark != std::string_view::npos && mark >= at / 2 ? mark + 1 : at;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    width += width_of(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    const bool control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0) || point.value == 0x2028 ||
                         point.value == 0x2029;
    if (control) {
      out += ' ';
    } else if (point.value == kBroken) {
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
    const auto space = std::min(rest.find(' '), rest.size());
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

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t used = text_width(text);
  const std::string fill(width > used ? width - used : 0, ' ');
  return right ? fill + std::string(text) : std::string(text) + fill;
}

}  // namespace mlsim::reports
