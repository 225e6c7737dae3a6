#include "core/text/code_point.hpp"

#include <utf8proc.h>

namespace mlsim {

CodePoint first_code_point(std::string_view text) {
  utf8proc_int32_t value = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (bytes <= 0) return {0, 1, true};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(bytes), false};
}

std::size_t first_broken_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(i));
    if (point.broken) return i;
    i += point.bytes;
  }
  return text.size();
}

int columns(const CodePoint& point) {
  return point.broken ? 1 : utf8proc_charwidth(static_cast<utf8proc_int32_t>(point.value));
}

// Marks that turn the direction of text (Unicode's UAX #9, 2) let a name read otherwise than it is.
bool is_control(const CodePoint& point) {
  if (point.broken) return false;
  const char32_t value = point.value;
  if (value == 0x061c || value == 0x200e || value == 0x200f || (value >= 0x202a && value <= 0x202e) ||
      (value >= 0x2066 && value <= 0x2069))
    return true;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(point.value));
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool holds_control(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (is_control(point) && point.value != U'\n' && point.value != U'\t') return true;
    text.remove_prefix(point.bytes);
  }
  return false;
}

}  // namespace mlsim
