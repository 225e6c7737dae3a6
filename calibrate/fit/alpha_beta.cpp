#include "calibrate/fit/alpha_beta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "costs/collective_time.hpp"

namespace mlsim::calibrate {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double bic(const Segmentation& cut, double points) {
  constexpr double kNoise = 0.003;  // relative: nccl-tests prints three to four digits
  const auto pieces = static_cast<double>(cut.begins.size());
  return points * std::log(std::max(cut.cost / points, kNoise * kNoise)) + (3 * pieces - 1) * std::log(points);
}

// A determinant below this share of its terms is rounding: the points do not tell u from v.
constexpr double kSingular = 1e-12;

constexpr std::size_t kFewest = 4;  // points of a segment
constexpr std::size_t kMost = 8;    // segments: published sweeps need two to five

LineSums sums_of(const std::vector<PayloadTime>& points, std::size_t begin, std::size_t end) {
  LineSums sums;
  for (std::size_t i = begin; i < end; ++i)
    sums.add(1 / points[i].time.value, points[i].payload.value / points[i].time.value, 1);
  return sums;
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

void LineSums::add(double u, double v, double y) {
  uu_ += u * u;
  uv_ += u * v;
  vv_ += v * v;
  uy_ += u * y;
  vy_ += v * y;
  yy_ += y * y;
  ++count_;
}

Line LineSums::line() const {
  const double determinant = uu_ * vv_ - uv_ * uv_;
  if (determinant > kSingular * uu_ * vv_) {
    const Line free{(uy_ * vv_ - vy_ * uv_) / determinant, (vy_ * uu_ - uy_ * uv_) / determinant};
    if (free.u >= 0 && free.v >= 0) return free;
  }
  const Line only_u{uu_ > 0 ? std::max(0.0, uy_ / uu_) : 0, 0};
  const Line only_v{0, vv_ > 0 ? std::max(0.0, vy_ / vv_) : 0};
  return squares(only_u) < squares(only_v) ? only_u : only_v;
}

double LineSums::squares(const Line& line) const {
  const double sum =
      line.u * line.u * uu_ + line.v * line.v * vv_ + yy_ + 2 * (line.u * line.v * uv_ - line.u * uy_ - line.v * vy_);
  return std::max(0.0, sum);
}

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
