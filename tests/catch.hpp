// Catch2 version 2 (Debian 12, Ubuntu 22.04) or 3 (Ubuntu 24.04) under one include, with version 3's spellings.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>

#include <string>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif

#include "tests/namespace.hpp"
