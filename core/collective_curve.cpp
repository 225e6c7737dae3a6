#include "core/collective_curve.hpp"

#include <algorithm>
#include <cmath>

namespace mlsim {
namespace {

const AlphaBetaSegment& segment_at(const std::vector<AlphaBetaSegment>& segments, Bytes payload) {
  const auto above =
      std::upper_bound(segments.begin(), segments.end(), payload,
                       [](Bytes value, const AlphaBetaSegment& segment) { return value < segment.from; });
  return above == segments.begin() ? segments.front() : *(above - 1);
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
  // The cubic Hermite polynomial on [0, 1].
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

std::string_view name(RankScaling::Latency latency) { return latency == RankScaling::Latency::ring ? "ring" : "log2"; }

Seconds scaled_time(const RankScaling& scaling, int ranks, Bytes payload) {
  if (ranks < 2) return Seconds(0);
  const AlphaBetaSegment& segment = segment_at(scaling.segments, payload);
  const double steps = scaling.latency == RankScaling::Latency::ring ? 2.0 * (ranks - 1) : std::log2(ranks);
  const double share = bus_bandwidth_factor(scaling.kind, ranks);
  return scaling.fixed + segment.alpha * steps + Seconds(segment.beta * share * payload.value);
}

}  // namespace mlsim
