#include "costs/collective_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlsim::costs {
namespace {

const AlphaBetaSegment& segment_at(const std::vector<AlphaBetaSegment>& segments, Bytes payload) {
  const auto above =
      std::upper_bound(segments.begin(), segments.end(), payload,
                       [](Bytes value, const AlphaBetaSegment& segment) { return value < segment.from; });
  return above == segments.begin() ? segments.front() : *(above - 1);
}

Seconds time_at(const AlphaBetaSegment& segment, double payload) {
  return segment.alpha + Seconds(segment.beta * payload);
}

// Returns the payload at which a segment takes `level`, which is no less than its beginning.
double reach(const AlphaBetaSegment& segment, Seconds level) {
  if (time_at(segment, segment.from.value) >= level) return segment.from.value;
  if (segment.beta <= 0) return std::numeric_limits<double>::infinity();
  return (level - segment.alpha).value / segment.beta;
}

}  // namespace

Seconds collective_time(const CollectiveCurve& curve, Bytes payload) {
  if (curve.ranks() < 2) return Seconds(0);
  const CurveKnot& first = curve.knots.front();
  const CurveKnot& last = curve.knots.back();
  if (payload <= first.payload) return first.time;
  if (payload >= last.payload) return last.time + Seconds(curve.tail * (payload - last.payload).value);
  const auto above = std::upper_bound(curve.knots.begin(), curve.knots.end(), payload,
                                      [](Bytes value, const CurveKnot& knot) { return value < knot.payload; });
  const CurveKnot& a = *(above - 1);
  const CurveKnot& b = *above;
  // A cubic Hermite polynomial on [0, 1] joins the two knots.
  const double width = std::log(b.payload / a.payload), u = std::log(payload / a.payload) / width;
  const double ya = std::log(a.time.value), yb = std::log(b.time.value);
  const double y = (1 + 2 * u) * (1 - u) * (1 - u) * ya + u * (1 - u) * (1 - u) * width * a.slope +
                   u * u * (3 - 2 * u) * yb + u * u * (u - 1) * width * b.slope;
  return Seconds(std::exp(y));
}

Seconds segment_time(const std::vector<AlphaBetaSegment>& segments, Bytes payload) {
  const AlphaBetaSegment& segment = segment_at(segments, payload);
  return segment.alpha + Seconds(segment.beta * payload.value);
}

std::vector<AlphaBetaSegment> monotone(const std::vector<AlphaBetaSegment>& segments, Bytes last) {
  std::vector<AlphaBetaSegment> out;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    AlphaBetaSegment next = segments[k];
    const double end = k + 1 < segments.size() ? segments[k + 1].from.value : last.value;
    const Seconds start = time_at(next, next.from.value);
    const Seconds before = out.empty() ? Seconds(0) : time_at(out.back(), next.from.value);
    if (before <= start) {
      out.push_back(next);
      continue;
    }
    const Seconds level(std::sqrt(before.value * start.value));
    double begin = next.from.value;
    while (!out.empty() && time_at(out.back(), out.back().from.value) >= level) {
      begin = out.back().from.value;
      out.pop_back();
    }
    if (!out.empty()) begin = std::min(begin, reach(out.back(), level));
    out.push_back({Bytes(begin), level, 0});
    const double rise = reach(next, level);
    if (rise < end) out.push_back({Bytes(rise), next.alpha, next.beta});
  }
  return out;
}

double latency_steps(const RankScaling& scaling, int ranks, Bytes payload) {
  const bool tree = scaling.tree_below && payload < *scaling.tree_below;
  return scaling.latency == RankScaling::Latency::ring && !tree ? 2.0 * (ranks - 1) : std::log2(ranks);
}

Seconds scaled_time(const RankScaling& scaling, int ranks, Bytes payload) {
  if (ranks < 2) return Seconds(0);
  const double share = bus_bandwidth_factor(scaling.kind, ranks);
  std::vector<AlphaBetaSegment> segments;
  const auto add = [&](const AlphaBetaSegment& s, Bytes from) {
    segments.push_back({from, scaling.fixed + s.alpha * latency_steps(scaling, ranks, from), s.beta * share});
  };
  for (std::size_t k = 0; k < scaling.segments.size(); ++k) {
    const AlphaBetaSegment& s = scaling.segments[k];
    add(s, s.from);
    const bool last = k + 1 == scaling.segments.size();
    const auto& below = scaling.tree_below;  // a segment may go on with another algorithm
    if (below && s.from < *below && (last || *below < scaling.segments[k + 1].from)) add(s, *below);
  }
  return segment_time(monotone(segments, Bytes(std::numeric_limits<double>::infinity())), payload);
}

}  // namespace mlsim::costs
