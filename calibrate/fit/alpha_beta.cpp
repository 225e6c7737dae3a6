#include "calibrate/fit/alpha_beta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/fit/nonnegative_line.hpp"
#include "calibrate/fit/segmentation.hpp"
#include "costs/collective_time.hpp"

namespace mlsim::calibrate {
namespace {

constexpr std::size_t kFewest = 4;  // points of a segment
constexpr std::size_t kMost = 8;    // segments: published sweeps need two to five

LineSums sums_of(const std::vector<PayloadTime>& points, std::size_t begin, std::size_t end) {
  LineSums sums;
  for (std::size_t i = begin; i < end; ++i)
    sums.add(1 / points[i].time.value, points[i].payload.value / points[i].time.value, 1);
  return sums;
}

}  // namespace

std::vector<AlphaBetaSegment> alpha_beta_segments(const std::vector<PayloadTime>& points) {
  const std::size_t n = points.size();
  if (n == 1) return {{points[0].payload, Seconds(0), points[0].time.value / points[0].payload.value}};
  const std::size_t fewest = std::min(kFewest, n);
  const auto cost = [&](std::size_t begin, std::size_t end) {
    if (end - begin < fewest) return std::numeric_limits<double>::infinity();
    const LineSums sums = sums_of(points, begin, end);
    return sums.squares(sums.line());
  };
  const auto cuts = segmentations(n, kMost, cost);
  std::vector<std::size_t> begins = least_bic(cuts, static_cast<double>(n)).begins;
  begins.push_back(n);
  std::vector<AlphaBetaSegment> segments;
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) {
    const Line line = sums_of(points, begins[k], begins[k + 1]).line();
    const double here = points[begins[k]].payload.value;
    const double from = k == 0 ? here : std::sqrt(points[begins[k] - 1].payload.value * here);
    segments.push_back({Bytes(from), Seconds(line.u), line.v});
  }
  return monotone(segments, points.back().payload);
}

}  // namespace mlsim::calibrate
