#include "core/quantile.hpp"

#include <algorithm>
#include <cassert>

namespace mlsim {

double quantile(const std::vector<double>& sorted, double share) {
  assert(!sorted.empty());
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

}  // namespace mlsim
