// alpha_beta_segments() cuts a measured sweep into few straight pieces, alpha + beta payload, by a criterion.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// A `Segmentation` is one way to cut a row of items into consecutive pieces: the first item of each piece, and the
/// cost of all pieces.
struct Segmentation {
  std::vector<std::size_t> begins;
  double cost = 0;
};

/// Cuts in the cheapest way, for every number of pieces. `cost(begin, end)` is that of a piece, infinite where the
/// piece may not be. Element k - 1 of the result has k pieces; as many as are possible, up to `most`. O(items^2 (most +
/// cost)).
std::vector<Segmentation> segmentations(std::size_t items, std::size_t most,
                                        const std::function<double(std::size_t begin, std::size_t end)>& cost);

/// Returns the one of `candidates`, at least one, with the least n ln(SSE / n) + (3 K - 1) ln n, where cost is the SSE
/// of n relative residuals, taken as at least n 0.003^2: K pieces of two constants each and K - 1 breaks.
const Segmentation& least_bic(const std::vector<Segmentation>& candidates, double points);

/// A `Line` has no negative coefficient and is nearest to points by least squares.
struct Line {
  double u = 0, v = 0;  // coefficients
};

/// The sums run over points (u, v, y) of which y = a u + b v is wanted with a, b >= 0: y = 1, u = 1/t, v = S/t make it
/// the fit of t = a + b S with relative loss.
class LineSums {
 public:
  void add(double u, double v, double y);
  int count() const { return count_; }
  Line line() const;
  /// Returns the sum of squares of a u + b v - y, never negative.
  double squares(const Line& line) const;

 private:
  double uu_ = 0, uv_ = 0, vv_ = 0, uy_ = 0, vy_ = 0, yy_ = 0;
  int count_ = 0;
};

/// Segments have at least four points each (one segment where there are fewer than eight) and least squares of relative
/// errors with alpha, beta >= 0. Break points come by dynamic programming and their number K by
///   BIC = n ln(SSE / n) + (3 K - 1) ln n        SSE at least n 0.003^2: below 0.3 % there is nothing to explain
/// Breaks lie at the geometric mean of the payloads on both sides, the first segment begins at the first payload. Where
/// time would fall at a break, it stays level from before to after it. With one point all of its time is beta. `points`
/// ascend and are positive; at least one. O(n^2 K).
std::vector<AlphaBetaSegment> alpha_beta_segments(const std::vector<PayloadTime>& points);

}  // namespace mlsim::calibrate
