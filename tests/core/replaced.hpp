// A text with one piece of it exchanged.
#pragma once

#include <string>

#include "catch.hpp"

namespace mlsim::test {

/// Fails the test where `text` does not hold `from`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace mlsim::test
