#include "reports/renderers/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

// Tells whether the space at `at` stands between a number and its unit.
bool separates_unit(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 14> kUnits{"s",     "ms", "us",  "min", "h",   "%",   "USD",
                                                    "USD/h", "B",  "KiB", "MiB", "GiB", "TiB", "M"};
  if (at == 0 || std::isdigit(static_cast<unsigned char>(text[at - 1])) == 0) return false;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != ' ' && std::string_view(",;:.)").find(text[end]) == std::string_view::npos)
    ++end;
  return std::find(kUnits.begin(), kUnits.end(), text.substr(at + 1, end - at - 1)) != kUnits.end();
}

std::string_view space_at(std::string_view text, std::size_t at) {
  if (separates_thousands(text, at)) return "\u202f";
  return separates_unit(text, at) ? "\u00a0" : " ";
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
      case ' ': out += space_at(text, i); break;
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
