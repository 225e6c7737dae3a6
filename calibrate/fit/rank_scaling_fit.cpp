#include "calibrate/fit/rank_scaling_fit.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

#include "calibrate/fit/alpha_beta.hpp"
#include "calibrate/fit/fit.hpp"
#include "costs/collective_time.hpp"

namespace mlsim::calibrate {
namespace {

using Latency = RankScaling::Latency;

constexpr std::size_t kFewestPoints = 4;     // points of a segment for each number of nodes
constexpr std::size_t kMostRanksFitted = 8;  // segments, as of a single sweep

auto group_of(const CollectiveCurve& curve) {
  return std::tie(curve.kind, curve.communicator, curve.device, curve.precision, curve.machine, curve.ranks_per_node);
}

/// A `LatencyForm` is how latency grows with the ranks: one form, below `tree_below` a tree's.
struct LatencyForm {
  Latency latency;
  std::optional<Bytes> tree_below = {};
};

// Gloo sums processors' buffers by rings (gloo/allreduce.cc); MPI's modules take halving and doubling where latency
// matters. So do small messages in MLBench's task 0 on 2 and 4 nodes: Gloo took 642 and 2030 us on processors, 737 and
// 1460 us with GPU tensors; MPI 182 and 321 us. NCCL takes trees for small messages and rings for large ones
// (ncclTopoGetAlgoTime); where it changes follows from its tuning, and is 32 KB in task 0.
std::optional<LatencyForm> known_latency(const CollectiveCurve& curve) {
  if (curve.communicator == "gloo") return LatencyForm{curve.device == "cpu" ? Latency::ring : Latency::log2};
  if (curve.communicator == "nccl" || curve.communicator == "rccl") return LatencyForm{Latency::ring, Bytes(32e3)};
  if (curve.communicator == "mpi") return LatencyForm{Latency::log2};
  return {};
}

struct RankTime {
  int ranks;
  Bytes payload;
  Seconds time;
};

std::vector<RankTime> points_of(const std::vector<CollectiveCurve>& curves) {
  std::vector<RankTime> points;
  for (const CollectiveCurve& curve : curves)
    for (const CollectivePoint& point : curve.points)
      points.push_back({curve.ranks(), point.payload, point.time.median});
  std::stable_sort(points.begin(), points.end(),
                   [](const RankTime& a, const RankTime& b) { return a.payload < b.payload; });
  return points;
}

class Joint {
 public:
  Joint(const std::vector<CollectiveCurve>& curves, const LatencyForm& form, bool fixed)
      : points_(points_of(curves)), has_fixed_(fixed), fewest_(kFewestPoints * curves.size()) {
    const CollectiveCurve& first = curves.front();
    law_.kind = first.kind;
    law_.communicator = first.communicator;
    law_.device = first.device;
    law_.precision = first.precision;
    law_.machine = first.machine;
    law_.ranks_per_node = first.ranks_per_node;
    for (const CollectiveCurve& curve : curves) law_.nodes.push_back(curve.nodes);
    std::sort(law_.nodes.begin(), law_.nodes.end());
    law_.nodes.erase(std::unique(law_.nodes.begin(), law_.nodes.end()), law_.nodes.end());
    law_.latency = form.latency;
    law_.tree_below = form.tree_below;
    law_.source = {Provenance::fitted, first.source.source, first.source.date};
  }

  RankScaling law() {
    // Break points and the fixed time depend on each other, weakly.
    constexpr int kRounds = 3;
    begins_ = breaks(0);
    double fixed = 0;
    for (int i = 0; has_fixed_ && i < kRounds; ++i) {
      fixed = best_fixed();
      begins_ = breaks(fixed);
    }
    law_.fixed = Seconds(fixed);
    law_.segments = segments(fixed);
    law_.residual = error();
    return law_;
  }

 private:
  LineSums sums(std::size_t begin, std::size_t end, double fixed) const {
    LineSums sums;
    for (std::size_t i = begin; i < end; ++i) {
      const RankTime& p = points_[i];
      const double time = p.time.value;
      sums.add(latency_steps(law_, p.ranks, p.payload) / time,
               bus_bandwidth_factor(law_.kind, p.ranks) * p.payload.value / time, 1 - fixed / time);
    }
    return sums;
  }

  double squares(std::size_t begin, std::size_t end, double fixed) const {
    const LineSums all = sums(begin, end, fixed);
    return all.squares(all.line());
  }

  std::vector<std::size_t> breaks(double fixed) const {
    const std::size_t n = points_.size(), fewest = std::min(fewest_, n);
    const auto starts = [&](std::size_t i) { return i == 0 || i == n || points_[i - 1].payload < points_[i].payload; };
    const auto cuts = segmentations(n, kMostRanksFitted, [&](std::size_t begin, std::size_t end) {
      if (end - begin < fewest || !starts(begin) || !starts(end)) return std::numeric_limits<double>::infinity();
      return squares(begin, end, fixed);
    });
    return least_bic(cuts, static_cast<double>(n)).begins;
  }

  std::size_t end_of(std::size_t k) const { return k + 1 < begins_.size() ? begins_[k + 1] : points_.size(); }

  double loss(double fixed) const {
    double sum = 0;
    for (std::size_t k = 0; k < begins_.size(); ++k) sum += squares(begins_[k], end_of(k), fixed);
    return sum;
  }

  // The loss is convex in `fixed`: it is the least over the other constants of a sum of squares.
  double best_fixed() const {
    const auto least = std::min_element(points_.begin(), points_.end(),
                                        [](const RankTime& a, const RankTime& b) { return a.time < b.time; });
    constexpr int kBits = std::numeric_limits<double>::digits / 2;  // a minimum is flatter than finer steps can tell
    return boost::math::tools::brent_find_minima([&](double fixed) { return loss(fixed); }, 0.0, least->time.value,
                                                 kBits)
        .first;
  }

  std::vector<AlphaBetaSegment> segments(double fixed) const {
    std::vector<AlphaBetaSegment> out;
    for (std::size_t k = 0; k < begins_.size(); ++k) {
      const Line line = sums(begins_[k], end_of(k), fixed).line();
      const Bytes here = points_[begins_[k]].payload;
      out.push_back({k == 0 ? here : Bytes(std::sqrt(points_[begins_[k] - 1].payload.value * here.value)),
                     Seconds(line.u), line.v});
    }
    return out;
  }

  FitError error() const {
    std::vector<double> errors;
    for (const RankTime& p : points_) errors.push_back(relative_error(scaled_time(law_, p.ranks, p.payload), p.time));
    return fit_error(std::move(errors));
  }

  std::vector<RankTime> points_;
  bool has_fixed_;
  std::size_t fewest_;
  RankScaling law_;
  std::vector<std::size_t> begins_;
};

RankScaling fitted(const std::vector<CollectiveCurve>& curves, const LatencyForm& form) {
  RankScaling law = Joint(curves, form, true).law();
  std::vector<CollectiveCurve> smaller, largest;
  for (const CollectiveCurve& curve : curves) (curve.nodes == law.nodes.back() ? largest : smaller).push_back(curve);
  const RankScaling left = Joint(smaller, form, law.nodes.size() > 2).law();
  std::vector<double> errors;
  for (const RankTime& p : points_of(largest))
    errors.push_back(relative_error(scaled_time(left, p.ranks, p.payload), p.time));
  law.held_back = fit_error(std::move(errors));
  return law;
}

}  // namespace

std::vector<RankScaling> fit_rank_scaling(const std::vector<CollectiveCurve>& curves) {
  std::vector<std::vector<CollectiveCurve>> groups;
  for (const CollectiveCurve& curve : curves) {
    if (curve.ranks() < 2 || curve.kind == CollectiveKind::send_receive) continue;
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& g) { return group_of(g.front()) == group_of(curve); });
    if (group != groups.end())
      group->push_back(curve);
    else
      groups.push_back({curve});
  }
  std::vector<RankScaling> laws;
  for (const auto& group : groups) {
    std::set<int> nodes;
    for (const CollectiveCurve& curve : group) nodes.insert(curve.nodes);
    if (nodes.size() < 2) continue;
    RankScaling ring = fitted(group, {Latency::ring}), tree = fitted(group, {Latency::log2});
    const auto known = known_latency(group.front());
    const Latency first = known                                         ? known->latency
                          : tree.residual.median < ring.residual.median ? Latency::log2
                                                                        : Latency::ring;
    if (first == Latency::log2) std::swap(ring, tree);
    laws.push_back(known && known->tree_below ? fitted(group, *known) : std::move(ring));
    laws.push_back(std::move(tree));
  }
  return laws;
}

}  // namespace mlsim::calibrate
