#include "calibrate/fit/collective_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "calibrate/fit/alpha_beta.hpp"
#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "costs/collective_time.hpp"
#include "workloads/convergence/batch_law.hpp"

namespace mlsim::calibrate {
namespace {

// Returns the slope of a parabola through three points, cut back where that would turn the curve around.
double end_slope(double near_width, double far_width, double near_secant, double far_secant) {
  const double slope =
      ((2 * near_width + far_width) * near_secant - near_width * far_secant) / (near_width + far_width);
  if (slope * near_secant <= 0) return 0;
  if (near_secant * far_secant < 0 && std::abs(slope) > 3 * std::abs(near_secant)) return 3 * near_secant;
  return slope;
}

double tail_of(const std::vector<CurveKnot>& knots) {
  constexpr std::size_t kLast = 4;
  if (knots.size() == 1) return knots[0].time.value / knots[0].payload.value;
  LineSums sums;
  for (std::size_t i = knots.size() - std::min(kLast, knots.size()); i < knots.size(); ++i)
    sums.add(1 / knots[i].time.value, knots[i].payload.value / knots[i].time.value, 1);
  return sums.line().v;
}

Seconds median(std::vector<Seconds> times) {
  std::vector<double> sorted;
  for (const Seconds time : times) sorted.push_back(time.value);
  std::sort(sorted.begin(), sorted.end());
  return Seconds(quantile(sorted, 0.5));
}

Seconds time_of(const CollectivePoint& point) {
  return point.launches.empty() ? point.time.median : median(point.launches);
}

void check(const CollectiveSweep& sweep) {
  const std::string what =
      fmt::format("{} by {} on {} ranks", name(sweep.kind), sweep.communicator, sweep.nodes * sweep.ranks_per_node);
  if (sweep.points.empty()) throw InputError(sweep.source.source, what + " has no measured payload");
  for (const CollectivePoint& point : sweep.points) {
    if (!is_positive(point.payload.value))
      throw InputError(sweep.source.source, fmt::format("{}: a payload of {} B", what, point.payload.value));
    const bool launches =
        std::all_of(point.launches.begin(), point.launches.end(), [](Seconds time) { return is_positive(time.value); });
    if (!is_positive(point.time.median.value) || !launches)
      throw InputError(sweep.source.source,
                       fmt::format("{}: the time of {} B is not above 0", what, point.payload.value));
  }
}

// Points of equal payload become one.
CollectivePoint merged(const std::vector<CollectivePoint>& points) {
  if (points.size() == 1) return points.front();
  const auto middle = [&](Seconds SampleStatistics::*field) {
    std::vector<Seconds> values;
    for (const CollectivePoint& point : points) values.push_back(point.time.*field);
    return median(values);
  };
  CollectivePoint out{points.front().payload,
                      {middle(&SampleStatistics::median), middle(&SampleStatistics::lower_quartile),
                       middle(&SampleStatistics::upper_quartile)},
                      {}};
  for (const CollectivePoint& point : points) {
    out.time.count += point.time.count;
    out.time.outliers += point.time.outliers;
    out.launches.insert(out.launches.end(), point.launches.begin(), point.launches.end());
    if (point.launches.empty()) out.launches.push_back(point.time.median);
  }
  return out;
}

std::vector<CollectivePoint> ascending(std::vector<CollectivePoint> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const CollectivePoint& a, const CollectivePoint& b) { return a.payload < b.payload; });
  std::vector<CollectivePoint> out;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i + 1;
    while (end < points.size() && points[end].payload == points[i].payload) ++end;
    out.push_back(
        merged({points.begin() + static_cast<std::ptrdiff_t>(i), points.begin() + static_cast<std::ptrdiff_t>(end)}));
    i = end;
  }
  return out;
}

std::vector<PayloadTime> times_of(const std::vector<CollectivePoint>& points) {
  std::vector<PayloadTime> times;
  for (const CollectivePoint& point : points) times.push_back({point.payload, time_of(point)});
  return times;
}

FitError residual(const std::vector<AlphaBetaSegment>& segments, const std::vector<PayloadTime>& times) {
  std::vector<double> errors;
  for (const PayloadTime& point : times)
    errors.push_back(relative_error(segment_time(segments, point.payload), point.time));
  return fit_error(std::move(errors));
}

// Returns the errors at the largest payloads by the knots and the tail of the others.
FitError held_back_error(const CollectiveCurve& curve, const std::vector<PayloadTime>& times, double share) {
  constexpr std::size_t kFewest = 4;  // points that are left to fit the tail to
  const auto held = static_cast<std::size_t>(std::ceil(std::max(0.0, share) * static_cast<double>(times.size())));
  if (curve.ranks() < 2 || held == 0 || times.size() < kFewest + held) return {};
  CollectiveCurve smaller = curve;
  const auto cut = times.end() - static_cast<std::ptrdiff_t>(held);
  StoredSweep stored = stored_sweep({times.begin(), cut});
  smaller.knots = std::move(stored.knots);
  smaller.tail = stored.tail;
  std::vector<double> errors;
  for (auto point = cut; point != times.end(); ++point)
    errors.push_back(relative_error(collective_time(smaller, point->payload), point->time));
  return fit_error(std::move(errors));
}

// The bootstrap draws other times that might have been measured: first the launches, the same for every payload because
// what makes a launch slow makes it so throughout; then the deviations from the segments.
class Bootstrap {
 public:
  Bootstrap(const std::vector<CollectivePoint>& points, const std::vector<PayloadTime>& times,
            const std::vector<AlphaBetaSegment>& segments, std::uint64_t seed)
      : points_(points), segments_(segments), random_(seed) {
    launches_ = points.front().launches.size();
    for (const CollectivePoint& point : points)
      if (point.launches.size() != launches_) launches_ = 0;
    // Residuals are smaller than noise by the constants that the fit spent: two a segment and the breaks.
    const auto n = static_cast<double>(times.size());
    const double spent = std::min(n - 1, 3.0 * static_cast<double>(segments.size()) - 1);
    const double larger = std::sqrt(n / (n - spent));
    for (const PayloadTime& point : times)
      deviations_.push_back(larger * std::log(point.time / segment_time(segments, point.payload)));
  }

  std::vector<PayloadTime> draw() {
    std::vector<std::size_t> launches(launches_ > 1 ? launches_ : 0);
    for (std::size_t& launch : launches) launch = random_() % launches_;
    std::vector<PayloadTime> drawn;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double deviation = deviations_[random_() % deviations_.size()];
      const Seconds fitted = segment_time(segments_, points_[i].payload);
      drawn.push_back({points_[i].payload, fitted * (std::exp(deviation) * relative(points_[i], launches))});
    }
    return drawn;
  }

 private:
  double relative(const CollectivePoint& point, const std::vector<std::size_t>& launches) const {
    if (launches.empty()) return 1;
    std::vector<Seconds> times;
    for (const std::size_t launch : launches) times.push_back(point.launches[launch]);
    return median(times) / time_of(point);
  }

  const std::vector<CollectivePoint>& points_;
  const std::vector<AlphaBetaSegment>& segments_;
  std::mt19937_64 random_;
  std::size_t launches_ = 0;
  std::vector<double> deviations_;
};

}  // namespace

std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  if (n < 2) return std::vector<double>(n, 0.0);
  std::vector<double> width(n - 1), secant(n - 1), slope(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    width[i] = x[i + 1] - x[i];
    secant[i] = (y[i + 1] - y[i]) / width[i];
  }
  if (n == 2) return {secant[0], secant[0]};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (secant[i - 1] * secant[i] <= 0) continue;
    const double left = width[i - 1] + 2 * width[i], right = 2 * width[i - 1] + width[i];
    slope[i] = (left + right) / (left / secant[i - 1] + right / secant[i]);
  }
  slope.front() = end_slope(width[0], width[1], secant[0], secant[1]);
  slope.back() = end_slope(width[n - 2], width[n - 3], secant[n - 2], secant[n - 3]);
  return slope;
}

StoredSweep stored_sweep(const std::vector<PayloadTime>& points) {
  std::vector<WeightedPoint> logs;
  for (const PayloadTime& point : points)
    logs.push_back({std::log(point.payload.value), std::log(point.time.value), 1});
  std::vector<double> x, y;
  for (const WeightedPoint& point : isotonic(logs)) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  const std::vector<double> slopes = monotone_slopes(x, y);
  StoredSweep sweep;
  for (std::size_t i = 0; i < points.size(); ++i)
    sweep.knots.push_back({points[i].payload, Seconds(std::exp(y[i])), slopes[i]});
  sweep.tail = tail_of(sweep.knots);
  return sweep;
}

CollectiveCurve fit_collective(const CollectiveSweep& sweep, const FitOptions& options) {
  check(sweep);
  CollectiveCurve curve;
  curve.kind = sweep.kind;
  curve.communicator = sweep.communicator;
  curve.device = sweep.device;
  curve.precision = sweep.precision;
  curve.machine = sweep.machine;
  curve.nodes = sweep.nodes;
  curve.ranks_per_node = sweep.ranks_per_node;
  curve.points = ascending(sweep.points);
  curve.source = sweep.source;
  const std::vector<PayloadTime> times = times_of(curve.points);
  StoredSweep stored = stored_sweep(times);
  curve.knots = std::move(stored.knots);
  curve.tail = stored.tail;
  curve.segments = alpha_beta_segments(times);
  curve.residual = residual(curve.segments, times);
  curve.held_back = held_back_error(curve, times, options.held_back);
  Bootstrap bootstrap(curve.points, times, curve.segments, options.seed);
  for (int i = 0; i < options.replicas; ++i) curve.replicas.push_back(alpha_beta_segments(bootstrap.draw()));
  return curve;
}

}  // namespace mlsim::calibrate
