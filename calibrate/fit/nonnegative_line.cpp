#include "calibrate/fit/nonnegative_line.hpp"

#include <algorithm>

namespace mlsim::calibrate {
namespace {

// A determinant below this share of its terms is rounding: the points do not tell u from v.
constexpr double kSingular = 1e-12;

}  // namespace

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

}  // namespace mlsim::calibrate
