// A `Line` has no negative coefficient and is nearest to points by least squares.
#pragma once

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

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

}  // namespace mlsim::calibrate
