#include "core/code_point.hpp"

#include <utf8proc.h>

namespace mlsim {

CodePoint first_code_point(std::string_view text) {
  utf8proc_int32_t value = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (bytes <= 0) return {0, 1, true};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(bytes), false};
}

int columns(const CodePoint& point) {
  return point.broken ? 1 : utf8proc_charwidth(static_cast<utf8proc_int32_t>(point.value));
}

bool is_control(const CodePoint& point) {
  if (point.broken) return false;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(point.value));
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

}  // namespace mlsim
