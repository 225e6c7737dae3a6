// csv_field() writes a field of a table of comma-separated values (RFC 4180).
#pragma once

#include <string>

namespace mlsim {

/// Quotes the field where it must be quoted.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace mlsim
