#include "sim/answer/answer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/process/activity.hpp"
#include "core/quantile.hpp"
#include "sim/stragglers/closed_steps.hpp"

namespace mlsim::sim {
namespace {

ClosedSteps closed_steps(const LoweredPlan& lowered, const StepInputs& inputs, const std::vector<Seconds>& duration) {
  const int ranks = inputs.cluster->ranks();
  const auto groups = [&](AxisSet axes, int role) -> std::vector<std::vector<int>> {
    if (lowered.mesh) return lowered.mesh->mesh.groups(axes, role);
    std::vector<std::vector<int>> all(1, std::vector<int>(ranks));
    std::iota(all.front().begin(), all.front().end(), 0);
    return all;
  };
  return {*lowered.graph, duration, ranks, inputs.roles, groups};
}

double largest_slowdown(const std::vector<RankDelay>& ranks) {
  double most = 0;
  for (const RankDelay& rank : ranks) most = std::max(most, rank.slowdown);
  return most;
}

Seconds end_of(const ClosedSteps& steps, const std::vector<RankDelay>& ranks, bool late_input) {
  return late_input || !steps.one_role() ? steps.end(ranks) : steps.end_of_slowest(largest_slowdown(ranks));
}

// Each exchange is as long as for the last rank to join it in a simulated step.
std::vector<Seconds> simulated_durations(const StepInputs& inputs, const StepOutcome& even) {
  std::vector<Seconds> duration = inputs.duration;
  std::vector<bool> seen(duration.size());
  for (const Span& span : even.timeline.spans) {
    if (!is_exchange((*inputs.graph)[span.vertex])) continue;
    const Seconds time = span.end - span.begin;
    duration[span.vertex] = seen[span.vertex] ? min(duration[span.vertex], time) : time;
    seen[span.vertex] = true;
  }
  return duration;
}

Seconds simulated_end(StepInputs inputs, const std::vector<RankDelay>& ranks) {
  Cluster cluster = *inputs.cluster;
  cluster.rank_speed.clear();
  for (const RankDelay& rank : ranks) cluster.rank_speed.push_back(1 / rank.slowdown);
  inputs.cluster = &cluster;
  return simulate_step(inputs).time;
}

StepDistribution summary(std::vector<double> times, Seconds even, Seconds absorbed) {
  std::sort(times.begin(), times.end());
  StepDistribution result;
  result.steps = static_cast<int>(times.size());
  result.mean = Seconds(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
  result.median = Seconds(quantile(times, 0.5));
  result.p95 = Seconds(quantile(times, 0.95));
  result.p99 = Seconds(quantile(times, 0.99));
  result.even = even;
  result.absorbed = absorbed;
  return result;
}

// Words a basis that stands on measurements; empty for the others.
Statement measured_text(CostBasis basis, const KernelCost& cost) {
  switch (basis) {
    case CostBasis::measured: return "measured";
    case CostBasis::law: return "by a law of measured ones";
    case CostBasis::transferred: {
      Statement said("transferred from ");
      for (const std::string& accelerator : cost.transfers_from()) {
        if (!said.quantities.empty()) said.add(", ");
        said.add(named("accelerator", accelerator));
      }
      return said;
    }
    case CostBasis::efficiency_curve:
    case CostBasis::roofline: break;
  }
  return {};
}

Statement entry_text(CostBasis basis, const KernelCost& cost) {
  const EfficiencyCurve& curve = cost.curve();
  switch (basis) {
    case CostBasis::measured: return "measured kernels";
    case CostBasis::law: return "a law of measured kernels";
    case CostBasis::transferred: return {"kernels ", measured_text(basis, cost)};
    case CostBasis::efficiency_curve:
      return Statement("efficiency curve (", named_exact("compute", curve.compute), " x compute, ",
                       named_exact("memory", curve.memory), " x memory, ", named("per_kernel", curve.per_kernel),
                       " a kernel)");
    case CostBasis::roofline: break;
  }
  return "roofline of the data sheet";
}

constexpr double kSaid = 1.0005;  // what "100.0 %" is not printed of

bool rests_on_timed_kernels(const CostedStep& step) {
  const auto shares = step.cost().basis_shares();
  const auto share = [&](CostBasis basis) { return shares[static_cast<std::size_t>(basis)].share; };
  return share(CostBasis::measured) + share(CostBasis::law) > 0.5;
}

std::string mfu_note(const CostedStep& step, double mfu) {
  const std::string head = fmt::format("an MFU of {:.0f} % is against the data sheet's peak: ", 100 * mfu);
  if (rests_on_timed_kernels(step)) return head + "kernels timed on the machine itself ran beyond it";
  return head + "it counts multiplications that Winograd's algorithm spares, 20 of 36 in convolutions of 3x3 in fp32";
}

// Says what one accelerator does that none of many has to.
std::string efficiency_note(const CostedStep& step, double efficiency) {
  const StepPlan& plan = step.plan().step;
  const std::string head =
      fmt::format("{:.0f} % of linear is against one accelerator with the same batch, ", 100 * efficiency);
  if (plan.parallelism.ranks() != plan.parallelism.batch_ranks())
    return head + "which computes the whole model by itself";
  if (plan.shards(StateSharding::optimizer))
    return head + "which updates all weights where each of these updates its share";
  if (step.cost().pace().contention < 0) return head + "whose run on record was slower than its share of a run of many";
  return head + "whose step has other host work";
}

}  // namespace

std::optional<StepDistribution> step_distribution(const StragglerOptions& options, std::uint64_t seed,
                                                  const LoweredPlan& lowered, const StepInputs& inputs,
                                                  const StepOutcome& even) {
  if (!options.random()) return std::nullopt;
  const bool late_input = options.input_skew.shape != InputSkewShape::none;
  const bool by_message = inputs.fidelity == Fidelity::message && !late_input;
  const ClosedSteps closed =
      closed_steps(lowered, inputs, by_message ? simulated_durations(inputs, even) : inputs.duration);
  const RankDelays delays(options, seed, *inputs.cluster);
  const Seconds known = end_of(closed, RankDelays({}, seed, *inputs.cluster).of_step(0), false);
  std::vector<double> times;
  double absorbed = 0;
  Activity activity("drawing steps", static_cast<std::uint64_t>(options.steps));
  for (int step = 0; step < options.steps; ++step) {
    activity.advance();
    const auto ranks = delays.of_step(step);
    const Seconds waiting = end_of(closed, ranks, late_input) + (even.time - known);
    const Seconds time = by_message ? simulated_end(inputs, ranks) : waiting;
    times.push_back(time.value);
    absorbed += (waiting - time).value;
  }
  return summary(std::move(times), even.time, Seconds(absorbed / options.steps));
}

std::vector<ProvenanceEntry> kernel_entries(const StepCost& step, const KernelCost& cost) {
  std::vector<ProvenanceEntry> entries;
  const auto shares = step.basis_shares();
  for (std::size_t i = 0; i < kCostBases; ++i) {
    const auto basis = static_cast<CostBasis>(i);
    if (shares[i].share <= 0) continue;
    entries.push_back({"kernel cost",
                       {entry_text(basis, cost), " for ", named_percent("share", shares[i].share), " of kernel time"},
                       cost.source(basis)});
  }
  return entries;
}

Statement kernel_distance(const StepCost& step, const KernelCost& cost, const Statement& fallback) {
  Statement said;
  const auto shares = step.basis_shares();
  for (std::size_t i = 0; i < kCostBases; ++i) {
    const Statement how = measured_text(static_cast<CostBasis>(i), cost);
    if (how.text.empty() || shares[i].share <= 0) continue;
    const bool first = said.text.empty();
    said.add(first ? "kernels " : ", ", how, " for ", named_percent("share", shares[i].share),
             first ? " of kernel time" : "");
  }
  if (said.text.empty()) return fallback;
  if (follows_speed(step)) said.add("; the others ", fallback);
  return said;
}

TrustWord kernel_trust(const StepCost& step, AcceleratorFamily family, const TrustWord& fallback) {
  const double measured = step.basis_shares()[static_cast<std::size_t>(CostBasis::measured)].share;
  if (family != AcceleratorFamily::cpu || measured <= 0.5 || fallback.level < TrustLevel::good) return fallback;
  return {TrustLevel::good, {"kernels measured for ", named_percent("share", measured), " of kernel time"}};
}

bool follows_speed(const StepCost& step) {
  const auto shares = step.basis_shares();
  return shares[static_cast<std::size_t>(CostBasis::efficiency_curve)].share > 0 ||
         shares[static_cast<std::size_t>(CostBasis::roofline)].share > 0;
}

std::vector<std::string> notes_above_one(const CostedStep& step, double mfu, double efficiency) {
  std::vector<std::string> notes;
  if (mfu >= kSaid) notes.push_back(mfu_note(step, mfu));
  if (efficiency >= kSaid) notes.push_back(efficiency_note(step, efficiency));
  return notes;
}

}  // namespace mlsim::sim
