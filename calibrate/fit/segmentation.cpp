#include "calibrate/fit/segmentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlsim::calibrate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double bic(const Segmentation& cut, double points) {
  constexpr double kNoise = 0.003;  // relative: nccl-tests prints three to four digits
  const auto pieces = static_cast<double>(cut.begins.size());
  return points * std::log(std::max(cut.cost / points, kNoise * kNoise)) + (3 * pieces - 1) * std::log(points);
}

}  // namespace

std::vector<Segmentation> segmentations(std::size_t items, std::size_t most,
                                        const std::function<double(std::size_t begin, std::size_t end)>& cost) {
  std::vector<std::vector<double>> of_piece(items + 1, std::vector<double>(items + 1, kInfinite));
  for (std::size_t begin = 0; begin < items; ++begin)
    for (std::size_t end = begin + 1; end <= items; ++end) of_piece[begin][end] = cost(begin, end);

  std::vector<Segmentation> found;
  std::vector<double> before = of_piece.empty() ? std::vector<double>{} : of_piece[0];
  std::vector<std::vector<std::size_t>> last_begin(1, std::vector<std::size_t>(items + 1, 0));
  for (std::size_t pieces = 1; pieces <= most; ++pieces) {
    if (pieces > 1) {
      std::vector<double> now(items + 1, kInfinite);
      last_begin.emplace_back(items + 1, 0);
      for (std::size_t end = 1; end <= items; ++end) {
        for (std::size_t begin = 1; begin < end; ++begin) {
          const double sum = before[begin] + of_piece[begin][end];
          if (sum >= now[end]) continue;
          now[end] = sum;
          last_begin.back()[end] = begin;
        }
      }
      before = std::move(now);
    }
    if (before[items] == kInfinite) break;
    Segmentation cut{{}, before[items]};
    for (std::size_t k = pieces, end = items; k > 0; --k) {
      end = last_begin[k - 1][end];
      cut.begins.insert(cut.begins.begin(), end);
    }
    found.push_back(std::move(cut));
  }
  return found;
}

const Segmentation& least_bic(const std::vector<Segmentation>& candidates, double points) {
  return *std::min_element(candidates.begin(), candidates.end(), [&](const Segmentation& a, const Segmentation& b) {
    return bic(a, points) < bic(b, points);
  });
}

}  // namespace mlsim::calibrate
