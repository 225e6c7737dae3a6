#include "calibrate/fit/nccl_fit.hpp"

#include <fmt/format.h>
#include <nlopt.hpp>

#include <algorithm>
#include <cmath>

#include "calibrate/fit/alpha_beta.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "core/text/errors.hpp"
#include "costs/collective_time.hpp"
#include "workloads/convergence/batch_law.hpp"

namespace mlsim::calibrate {
namespace {

NcclConstants::Network& network(NcclConstants& k, NodeNetwork kind) {
  return k.networks[static_cast<std::size_t>(kind)];
}

std::vector<double*> of_networks(NcclConstants& k, const std::vector<NodeNetwork>& kinds,
                                 double NcclConstants::Network::*field) {
  std::vector<double*> parts;
  for (const NodeNetwork kind : kinds) parts.push_back(&(network(k, kind).*field));
  return parts;
}

std::vector<double*> crossings(NcclConstants& k, const std::vector<NodeNetwork>& kinds) {
  std::vector<double*> parts;
  for (const NodeNetwork kind : kinds) parts.push_back(&network(k, kind).crossing.value);
  return parts;
}

using enum NodeNetwork;
using Net = NcclConstants::Network;

// RDMA fabrics share their crossing and fill, and so do the clouds' own transports.
const std::vector<NodeNetwork> kRdma{infiniband, roce};
const std::vector<NodeNetwork> kCloud{efa, efa_2019, tcpxo, sockets};

Seconds predicted(const NcclConstants& constants, const NcclSweep& sweep, Bytes payload) {
  return nccl_quickest(sweep.system, CollectiveKind::all_reduce, payload, sweep.filter, constants)->time;
}

void check(const NcclSweep& sweep) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (!nccl_quickest(sweep.system, CollectiveKind::all_reduce, Bytes(1), sweep.filter))
    throw InputError(sweep.name, "NCCL runs no all-reduce there: one rank, or no algorithm is left");
  for (const PayloadTime& point : sweep.points) {
    if (!positive(point.payload.value) || !positive(point.time.value))
      throw InputError(sweep.name,
                       fmt::format("{} B in {} s is no measured all-reduce", point.payload.value, point.time.value));
  }
}

// A square suits few points: the structure itself misses single sizes by 10 to 30 % where NCCL changes its mind, but
// none of them is to be ignored when it lies far off.
double square(double error) {
  constexpr double kScale = 0.3;
  return error * error / (kScale * kScale);
}

using Loss = double (*)(double error);  // the error is one of the log of time

struct Observed {
  const NcclSweep* sweep;
  double weight;  // all points of the sweep together have it
};

// The search moves the parameters that the sweeps depend on; the others stay where the prior has them.
class NcclSearch {
 public:
  NcclSearch(std::vector<Observed> observed, const NcclConstants& prior, Loss loss)
      : observed_(std::move(observed)), prior_(prior), loss_(loss) {
    const std::size_t n = nccl_parameters().size();
    at_.assign(n, 0);
    const double here = misfit();
    for (std::size_t i = 0; i < n; ++i) {
      bool matters = false;
      for (const double step : {-1.0, 1.0}) {
        at_[i] = step;
        matters = matters || misfit() != here;
      }
      at_[i] = 0;
      if (matters) free_.push_back(i);
    }
  }

  NcclConstants best() {
    constexpr double kFarthest = 3;  // widths
    constexpr double kTolerance = 1e-3;
    constexpr int kEvaluations = 3000;
    if (free_.empty()) return prior_;
    // The subplex method does not mind kinks, which lie where another variant becomes the quickest.
    nlopt::opt search(nlopt::LN_SBPLX, static_cast<unsigned>(free_.size()));
    search.set_lower_bounds(-kFarthest);
    search.set_upper_bounds(kFarthest);
    search.set_min_objective(&NcclSearch::objective, this);
    search.set_initial_step(0.5);
    search.set_xtol_abs(kTolerance);
    search.set_maxeval(kEvaluations);
    std::vector<double> x(free_.size(), 0.0);
    double least = 0;
    search.optimize(x, least);
    place(x);
    return scaled(prior_, at_);
  }

 private:
  static double objective(const std::vector<double>& x, std::vector<double>&, void* self) {
    auto& search = *static_cast<NcclSearch*>(self);
    search.place(x);
    double prior = 0;
    for (const double widths : x) prior += widths * widths;
    return search.misfit() + prior;
  }

  void place(const std::vector<double>& x) {
    for (std::size_t i = 0; i < free_.size(); ++i) at_[free_[i]] = x[i];
  }

  double misfit() const {
    const NcclConstants constants = scaled(prior_, at_);
    double sum = 0;
    for (const auto& [sweep, weight] : observed_) {
      double of_sweep = 0;
      for (const PayloadTime& point : sweep->points)
        of_sweep += loss_(std::log(predicted(constants, *sweep, point.payload) / point.time));
      sum += weight * of_sweep / static_cast<double>(sweep->points.size());
    }
    return sum;
  }

  std::vector<Observed> observed_;
  const NcclConstants& prior_;
  Loss loss_;
  std::vector<double> at_;         // widths from the prior, of every parameter
  std::vector<std::size_t> free_;  // parameters that are searched
};

}  // namespace

const std::vector<NcclParameter>& nccl_parameters() {
  // Widths are a tenth for shares of NVLink and of NICs that repeat between systems, and more where one system alone
  // speaks for the constant or fits that leave one out spread wider (costs/nccl_structure.cpp has the ranges).
  static const std::vector<NcclParameter> all{
      {0.1, [](NcclConstants& k) { return std::vector{&k.ring}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.tree}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.nvls_hopper}; }},
      {0.1, [](NcclConstants& k) { return std::vector{&k.nvls_blackwell}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.nvls_rack}; }},
      {0.3, [](NcclConstants& k) { return std::vector{&k.nvls_latency.value}; }},
      {0.5, [](NcclConstants& k) { return std::vector{&k.nvls_rack_latency.value}; }},
      {0.3, [](NcclConstants& k) { return std::vector{&k.nvls_tree_crossing.value}; }},
      {0.4, [](NcclConstants& k) { return std::vector{&k.pcie}; }},
      {0.4, [](NcclConstants& k) { return std::vector{&k.pcie_latency}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.short_latency}; }},
      {0.2, [](NcclConstants& k) { return std::vector{&k.simple_latency}; }},
      {0.5, [](NcclConstants& k) { return std::vector{&k.short_fill}; }, true},
      {0.5, [](NcclConstants& k) { return std::vector{&k.fill_bytes.value}; }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {infiniband}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {roce}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {efa}, &Net::share); }},
      {0.2, [](NcclConstants& k) { return of_networks(k, {efa_2019}, &Net::share); }},
      {0.1, [](NcclConstants& k) { return of_networks(k, {tcpxo}, &Net::share); }},
      {0.3, [](NcclConstants& k) { return of_networks(k, {sockets}, &Net::share); }},
      {0.5, [](NcclConstants& k) { return crossings(k, kRdma); }},
      {0.5, [](NcclConstants& k) { return crossings(k, kCloud); }},
      {0.4, [](NcclConstants& k) { return of_networks(k, kRdma, &Net::fill); }},
      {0.4, [](NcclConstants& k) { return of_networks(k, kCloud, &Net::fill); }}};
  return all;
}

NcclConstants scaled(NcclConstants prior, const std::vector<double>& at) {
  const auto& parameters = nccl_parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double by = parameters[i].width * at[i];
    for (double* const constant : parameters[i].constants(prior))
      *constant = parameters[i].shifted ? std::max(0.0, *constant + by) : *constant * std::exp(by);
  }
  return prior;
}

NcclConstants fit_nccl(const std::vector<NcclSweep>& sweeps, const NcclConstants& prior) {
  // Neighbouring sizes of a sweep err alike: a sweep of any length counts as ten observations.
  constexpr double kObservations = 10;
  std::vector<Observed> observed;
  for (const NcclSweep& sweep : sweeps) {
    check(sweep);
    if (sweep.points.empty()) throw InputError(sweep.name, "has no measured payload");
    observed.push_back({&sweep, kObservations});
  }
  return NcclSearch(std::move(observed), prior, soft_l1).best();
}

NcclConstants sharpened(const NcclConstants& prior, const NcclSweep& few) {
  check(few);
  if (few.points.empty()) throw InputError(few.name, "has no measured payload");
  return NcclSearch({{&few, static_cast<double>(few.points.size())}}, prior, square).best();
}

std::vector<double> nccl_errors(const NcclConstants& constants, const NcclSweep& sweep) {
  std::vector<double> errors;
  for (const PayloadTime& point : sweep.points)
    errors.push_back(relative_error(predicted(constants, sweep, point.payload), point.time));
  return errors;
}

CollectiveCurve bent_to_points(CollectiveCurve curve) {
  if (curve.points.empty()) return curve;
  std::vector<WeightedPoint> differences;  // differences of logarithms over the logarithm of the payload
  for (const CollectivePoint& point : curve.points)
    differences.push_back(
        {std::log(point.payload.value), std::log(point.time.median / collective_time(curve, point.payload)), 1});
  std::vector<PayloadTime> grid;
  for (const CurveKnot& knot : curve.knots) {
    const double by = interpolated(differences, std::log(knot.payload.value));
    grid.push_back({knot.payload, knot.time * std::exp(by)});
  }
  StoredSweep stored = stored_sweep(grid);
  curve.knots = std::move(stored.knots);
  curve.tail = stored.tail;
  curve.segments = alpha_beta_segments(grid);
  return curve;
}

CollectiveCurve nccl_curve(const NcclConstants& constants, const NcclSweep& sweep, const std::string& from) {
  constexpr double kSmallest = 8, kLargest = 17179869184;  // what nccl-tests usually sweeps
  check(sweep);
  std::vector<PayloadTime> grid;
  for (double payload = kSmallest; payload <= kLargest; payload *= 2)
    grid.push_back({Bytes(payload), predicted(constants, sweep, Bytes(payload))});
  CollectiveCurve curve;
  curve.communicator = "nccl";
  curve.device = "cuda";
  curve.machine = sweep.name;
  curve.nodes = sweep.system.nodes;
  curve.ranks_per_node = sweep.system.ranks_per_node;
  for (const PayloadTime& point : sweep.points)
    curve.points.push_back({point.payload, {point.time, point.time, point.time, 1, 0}, {}});
  std::stable_sort(curve.points.begin(), curve.points.end(),
                   [](const CollectivePoint& a, const CollectivePoint& b) { return a.payload < b.payload; });
  StoredSweep stored = stored_sweep(grid);
  curve.knots = std::move(stored.knots);
  curve.tail = stored.tail;
  curve.segments = alpha_beta_segments(grid);
  curve.residual = fit_error(nccl_errors(constants, sweep));
  curve.source = {Provenance::fitted, "NCCL's structure, constants of " + from, ""};
  return curve;
}

}  // namespace mlsim::calibrate
