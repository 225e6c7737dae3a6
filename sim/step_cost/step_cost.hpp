// A `StepCost` has the lengths of a step's nodes.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/step/step_order.hpp"
#include "sim/step_cost/step_terms.hpp"

namespace mlsim::sim {

/// An exchange of gradients slows the kernels that run beside it: a mechanism for what-ifs.
///
/// Collectives hold compute units and memory bandwidth. Published rows cannot tell this from a constant factor on all
/// compute (docs/models.md, "contention"), so it is off unless asked for.
/// Gives how long each vertex takes where kernels run at 1 / (1 + slowdown) of their speed while a node of
/// Stream::communication runs on the same rank. `duration` is how long each takes undisturbed. The result is exact for
/// ranks that are alike and wait for nobody (from event to event, O(vertices)) and has even_step_time() for its end.
std::vector<Seconds> slowed_by_exchange(const StepOrder& order, const std::vector<Seconds>& duration, double slowdown);

/// Costs the plan's kernels, the user's profiles first, at the speed of their curve and with the contention of the
/// plan's stack. A processor's kernels are those timed in the state in which the plan's step leaves the caches.
KernelCost own_cost(const Plan& plan, const PredictRequest& request);

/// A `StepCost` gives node lengths of one lowered plan at the pace of its kernels. It keeps a reference to its graph,
/// which must outlive it.
class StepCost {
 public:
  StepCost(const LoweredPlan& lowered, const StepTerms& terms, const KernelCost& cost);

  const Pace& pace() const { return pace_; }
  /// Gives the step without slow ranks, in closed form, at the pace of its kernels or the one given.
  Seconds nominal_time() const { return nominal_time(pace_); }
  Seconds nominal_time(const Pace& pace) const { return even_step_time(order_, durations(pace)); }
  /// Gives the time of each vertex on a rank of nominal speed, its exchanges in closed form.
  std::vector<Seconds> durations() const { return durations(pace_); }
  /// Gives the time of one vertex, had the rank no others beside it.
  Seconds undisturbed(std::size_t vertex) const { return undisturbed(vertex, pace_); }
  /// contention_factor() is the slowdown that other ranks cause; skew_factor() is that of the rank with the longest
  /// samples.
  double contention_factor(std::size_t vertex) const { return contention_factor(vertex, pace_); }
  double skew_factor(std::size_t vertex) const { return beside_others(vertex) ? terms_.skew : 1; }
  /// A `BasisShare` is what of the step's kernel time rests on one CostBasis.
  struct BasisShare {
    double share = 0;       // of all kernel time
    double log_spread = 0;  // one sigma of it, all of it too long or too short together
  };
  std::array<BasisShare, kCostBases> basis_shares() const;
  /// Gives what the framework adds to the step before its first kernel, by what the busiest stage launches.
  Seconds framework_time() const { return framework_time_; }
  /// Gives what the host takes to launch the kernels of the passes, of the stage that launches most; `cost` is the
  /// step's.
  Seconds launch_time(const KernelCost& cost) const;
  /// Gives what the host takes for the kernels of the passes beside the accelerator, of the stage that has most, and
  /// whether a pass of any stage waits for it.
  struct HostFloor {
    Seconds time;
    bool binds = false;
  };
  HostFloor host_floor() const;
  /// Gives what offloaded activations take on the link to the host in a step beyond the passes that they run beside, of
  /// the stage that waits longest.
  Seconds offload_wait() const;
  /// Gives what the exchanges of the stage that has most take in a step, hidden or not.
  Seconds exchange_time() const;
  /// Counts the step's floating-point operations, unpadded, of all stages together.
  Flop flop() const;

 private:
  std::vector<Seconds> durations(const Pace& pace) const;
  std::vector<Seconds> unheld(const Pace& pace) const;
  // A pass of a stage runs on the accelerator while its host launches kernels and a copy engine offloads activations.
  struct PassTimes {
    Seconds device, host, copies;
  };
  bool beside_copies_or_host(std::size_t vertex) const {
    return host_[vertex] > Seconds(0) || (!copies_.empty() && is_compute(graph_[vertex]) && is_pass(graph_[vertex]));
  }
  std::map<std::pair<int, StepPart>, PassTimes> pass_times(const std::vector<Seconds>& duration) const;
  void hold_to_host(std::vector<Seconds>& duration) const;
  Seconds undisturbed(std::size_t vertex, const Pace& pace) const {
    return max(kernel_[vertex].work / pace.of(graph_[vertex].part), kernel_[vertex].least) + kernel_[vertex].fixed;
  }
  bool beside_others(std::size_t vertex) const;
  double contention_factor(std::size_t vertex, const Pace& pace) const;
  void add_kernels(std::size_t vertex, const KernelCost& cost);

  // A `BasisPart` sums the kernels of a vertex that rest on one basis.
  struct BasisPart {
    Seconds work, fixed;
    Seconds spread;  // times their log_spread, summed
  };
  struct VertexCost {
    Seconds work, fixed, least;
    std::array<BasisPart, kCostBases> parts;  // of kernels; without what a framework adds
  };

  const StepGraph& graph_;
  StepTerms terms_;
  Pace pace_;
  Seconds framework_time_;
  StepOrder order_;
  std::vector<VertexCost> kernel_;  // by vertex; host work and collectives have only a fixed part
  std::vector<Flop> flop_;          // by vertex
  std::vector<Seconds> host_;       // by vertex; what the host takes for the kernels of a pass
  std::vector<Seconds> copies_;     // by role; what offloaded activations take on their way, either way
  std::map<std::pair<const void*, int>, std::size_t> sequences_;  // of kernels, and repeats -> the first vertex
};

}  // namespace mlsim::sim
