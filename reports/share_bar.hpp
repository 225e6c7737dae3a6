// A share bar is a share of a whole as a bar of text.
#pragma once

#include <string>

namespace mlsim::reports {

/// Draws `width` columns for a share of 1 or more, in eighths of a column, so that a share of 0.3 % still shows.
std::string share_bar(double share, std::size_t width = 48);

}  // namespace mlsim::reports
