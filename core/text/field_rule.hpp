// Rules bound what a field of a JSON object may hold: files that are read are held to them, and schemas say them.
#pragma once

#include <limits>
#include <string_view>
#include <vector>

namespace mlsim {

struct NumberRange {
  double lowest = std::numeric_limits<double>::lowest();
  double highest = std::numeric_limits<double>::max();
};
inline constexpr NumberRange kNotNegative{0};
inline constexpr NumberRange kPositive{std::numeric_limits<double>::min()};
inline constexpr NumberRange kShare{0, 1};

/// OneOf lists the texts that a field may hold.
struct OneOf {
  std::vector<std::string_view> words;
};

}  // namespace mlsim
