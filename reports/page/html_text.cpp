#include "reports/page/html_text.hpp"

#include <fmt/format.h>

#include <cctype>

namespace mlsim::reports {
namespace {

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// Whether the space at `at` separates thousands: a digit before it, and exactly three behind it.
bool separates_thousands(std::string_view text, std::size_t at) {
  if (at == 0 || !digit_at(text, at - 1)) return false;
  for (std::size_t i = 1; i <= 3; ++i)
    if (!digit_at(text, at + i)) return false;
  return !digit_at(text, at + 4);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case ' ': out += separates_thousands(text, i) ? "\u202f" : " "; break;
      default: out += text[i];
    }
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string data_link(std::string_view type, std::string_view text) {
  std::string out = fmt::format("data:{};charset=utf-8,", type);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    out += plain && byte < 0x80 ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace mlsim::reports
