#include "sim/answer/answer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/exchange/planned_exchange.hpp"
#include "sim/mesh/communicator.hpp"

namespace mlsim::sim {
namespace {

struct WeighedMeasurement {
  NextMeasurement what;
  double weight = 0;
};

std::string calibrate_command(const Plan& plan) {
  return fmt::format("mlsim calibrate --device {} --workload {} --batch-per-accelerator {:g} --precision {}",
                     plan.cluster->accelerator.family == AcceleratorFamily::cpu ? "cpu" : "cuda", plan.model.name,
                     plan.step.batch_per_accelerator / plan.step.micro_batches, name(plan.step.precision));
}

std::string exchange_command(int ranks, CollectiveKind kind, const std::string& library) {
  const bool message = kind == CollectiveKind::send_receive || kind == CollectiveKind::halo_exchange;
  return fmt::format("mpirun -n {} mlsim calibrate --collectives {}{}", ranks, message ? "point-to-point" : name(kind),
                     library.empty() ? "" : " --library " + library);
}

const char* basis_text(CostBasis basis) {
  switch (basis) {
    case CostBasis::measured: return "measured";
    case CostBasis::law: return "by a law of other kernels";
    case CostBasis::transferred: return "transferred from another accelerator";
    case CostBasis::efficiency_curve: return "by an efficiency curve";
    case CostBasis::roofline: break;
  }
  return "by the roofline";
}

// An `Unmeasured` collects a step's kernels that nobody timed on this accelerator, by key.
class Unmeasured {
 public:
  Unmeasured(const KernelCost& cost, double fallback) : cost_(cost), fallback_(fallback) {}

  void add(const StepNode& node) {
    const double speed = cost_.pace().of(node.part);
    for_kernels_of(node, [&](const KernelWork& work) { add(work, node.repeats, speed); });
  }

  /// Each candidate says to run `command`.
  std::vector<WeighedMeasurement> candidates(const std::string& command, Seconds step) const {
    std::vector<WeighedMeasurement> found;
    for (const auto& [key, sum] : sums_) {
      const double share = sum.time / step;
      found.push_back(
          {{{"kernel ", named("kernel", to_text(key)), ", ", named("basis", basis_text(sum.basis)), " so far"},
            share,
            command},
           share * sum.log_spread});
    }
    return found;
  }

 private:
  struct Sum {
    Seconds time;
    CostBasis basis = CostBasis::roofline;
    double log_spread = 0;
  };

  void add(const KernelWork& work, int repeats, double speed) {
    const KernelTime time = cost_.time(work);
    if (time.basis == CostBasis::measured) return;
    const bool curve = time.basis == CostBasis::efficiency_curve || time.basis == CostBasis::roofline;
    Sum& sum = sums_[work.key];
    sum.time += time.at(speed) * repeats;
    sum.basis = time.basis;
    sum.log_spread = curve ? fallback_ : time.log_spread;
  }

  const KernelCost& cost_;
  double fallback_;
  std::map<KernelKey, Sum> sums_;
};

// Finds a library by which the profiles know the collective of these ranks; empty where there is none but `library`.
std::string other_library(const MeasuredCollectives& measured, CollectiveKind kind, Bytes element,
                          const std::string& library) {
  for (const auto& other : measured.libraries())
    if (other != library && measured.of(kind, other, element)) return other;
  return {};
}

// Nobody timed these collectives of one kind on these ranks, or only at a few sizes.
struct UnmeasuredExchange {
  Seconds time;
  double weight = 0;  // time times spread
  Statement so_far;   // ", by NCCL's structure (...) so far"
};

std::map<CollectiveKind, UnmeasuredExchange> unmeasured_exchanges(const LoweredPlan& lowered, double fallback) {
  std::map<CollectiveKind, UnmeasuredExchange> found;
  for (const StepNode& node : *lowered.graph) {
    if (!is_exchange(node)) continue;
    const ExchangeKey key = key_of(node);
    const PlannedExchange& planned = lowered.collectives.at(key);
    if (!planned.is_to_measure()) continue;
    const Seconds time = planned.time(node.payload) * node.repeats;
    const std::optional<double> spread = planned.log_spread(node.payload);
    UnmeasuredExchange& sum = found[key.kind];
    sum.time += time;
    sum.weight += time.value * spread.value_or(fallback);
    if (spread) sum.so_far = {", ", planned.statement(), " so far"};
  }
  return found;
}

Statement exchange_statement(int ranks, CollectiveKind kind, const std::string& library, const Statement& so_far,
                             const std::string& other) {
  Statement said(named("exchange", name(kind)), " between ", named("ranks", ranks), " ranks");
  if (!library.empty()) said.add(" by ", named("library", library));
  said.add(so_far);
  if (!other.empty())
    said.add("; the profile has it by ", named("other_library", other), ", --set communicator=", other, " uses it");
  return said;
}

void add_exchanges(std::vector<WeighedMeasurement>& found, const Plan& plan, const LoweredPlan& lowered, Seconds step,
                   double fallback) {
  const std::string library = communicator(*plan.cluster, plan.options.exchange.communicator);
  for (const auto& [kind, exchange] : unmeasured_exchanges(lowered, fallback)) {
    const double share = std::min(1.0, exchange.time / step);
    const std::string other = other_library(plan.measured, kind, plan.step.gradient_element, library);
    const int ranks = plan.cluster->ranks();
    found.push_back({{exchange_statement(ranks, kind, library, exchange.so_far, other), share,
                      exchange_command(ranks, kind, library)},
                     exchange.time.value > 0 ? share * exchange.weight / exchange.time.value : 0});
  }
}

void add_assumed(std::vector<WeighedMeasurement>& found, const Plan& plan) {
  const AcceleratorSpec& accelerator = plan.cluster->accelerator;
  const auto add = [&](const std::string& what, const Source& source) {
    if (source.provenance != Provenance::assumed) return;
    found.push_back({{{named("figure", what), " of ", named("accelerator", accelerator.name), ", assumed so far"},
                      0,
                      calibrate_command(plan)},
                     0});
  };
  add("memory bandwidth", accelerator.memory_bandwidth.source);
  const auto peak = accelerator.peak.find(plan.step.precision);
  if (peak != accelerator.peak.end()) add(fmt::format("{} peak", name(plan.step.precision)), peak->second.source);
}

}  // namespace

std::vector<NextMeasurement> measure_next(const CostedStep& step, Seconds time) {
  const LoweredPlan& lowered = step.lowered();
  const double fallback = step.log_spread();
  Unmeasured kernels(step.kernels(), fallback);
  for (const StepNode& node : *lowered.graph) {
    if (is_compute(node)) kernels.add(node);
  }
  std::vector<WeighedMeasurement> found = kernels.candidates(calibrate_command(step.plan()), time);
  const bool curves = !found.empty();
  add_exchanges(found, step.plan(), lowered, time, fallback);
  if (curves) add_assumed(found, step.plan());
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  std::vector<NextMeasurement> next;
  for (WeighedMeasurement& each : found) {
    if (next.size() < kMostMeasurements) next.push_back(std::move(each.what));
  }
  return next;
}

}  // namespace mlsim::sim
