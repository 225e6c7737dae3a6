#include "reports/figure_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mlsim::reports {

std::string share_bar(double share, std::size_t width) {
  static constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clipped = share > 0 ? std::min(share, 1.0) : 0;
  const auto units = static_cast<std::size_t>(std::lround(clipped * 8 * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < units / 8; ++i) text += "█";
  return text + kEighths[units % 8];
}

}  // namespace mlsim::reports
