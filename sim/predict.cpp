#include "sim/predict.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "sim/anchor_choice.hpp"
#include "sim/job_clock.hpp"
#include "sim/kernel_cost.hpp"
#include "sim/plan.hpp"
#include "sim/step.hpp"
#include "sim/step_breakdown.hpp"
#include "sim/step_cost.hpp"
#include "topologies/prices.hpp"
#include "workloads/convergence.hpp"

namespace mlsim {
namespace {

std::string_view link_kind_name(LinkKind kind) {
  static constexpr std::array<std::string_view, 5> names{"ICI", "NVLink", "PCIe", "NIC", "network"};
  return names[static_cast<std::size_t>(kind)];
}

// Kernel speed against the profile's curve, from the nearest whole step on record.
struct KernelSpeed {
  double factor = 1;
  double log_spread = kRooflineSpread;
  std::string distance;
  ProvenanceEntry provenance;
};

PredictRequest request_of(const Anchor& anchor, const PredictRequest& asked) {
  PredictRequest request;
  request.topology = anchor.topology;
  request.workload = anchor.workload;
  request.accelerators = anchor.accelerators;
  request.global_batch = anchor.global_batch;
  request.precision = anchor.precision;
  request.fidelity = Fidelity::closed;
  request.settings = anchor.settings;
  request.profiles = asked.profiles;
  request.anchors = asked.anchors;
  return request;
}

AnchorQuestion question_of(const PredictRequest& request, const Plan& plan) {
  AnchorQuestion question;
  question.workload = plan.model.name;
  question.accelerator = plan.cluster.accelerator.name;
  question.topology = request.topology;
  question.source = request.anchor_source;
  question.precision = plan.step.precision;
  question.settings = request.settings;
  question.default_stack = plan.stack.stack;
  question.accelerators = plan.cluster.ranks();
  question.batch_per_accelerator = plan.step.batch_per_accelerator;
  return question;
}

std::vector<Anchor> all_anchors(const PredictRequest& request) {
  std::vector<Anchor> anchors = request.anchors;
  for (const auto& profile : request.profiles)
    anchors.insert(anchors.end(), profile.anchors.begin(), profile.anchors.end());
  return anchors;
}

KernelSpeed kernel_speed(const PredictRequest& request, const Plan& plan, const KernelCost& cost) {
  KernelSpeed speed;
  const auto choice = choose_anchor(question_of(request, plan), all_anchors(request));
  if (!choice) {
    const bool curve = cost.curve().source.provenance != Provenance::datasheet;
    speed.log_spread = curve ? kCurveSpread : kRooflineSpread;
    speed.distance =
        fmt::format("no step of {} on {} is on record: {}", plan.model.name, plan.cluster.accelerator.title,
                    curve ? "efficiency curve of other networks" : "bare roofline");
    speed.provenance = {"kernel speed", speed.distance, cost.curve().source};
    return speed;
  }
  const Plan anchor_plan = make_plan(request_of(choice->anchor, request));
  const KernelCost anchor_cost(anchor_plan.cluster.accelerator, anchor_plan.step.precision, request.profiles);
  const Seconds measured = choice->anchor.global_batch / choice->anchor.throughput;
  speed.factor = solve_kernel_speed(anchor_plan, anchor_cost, measured);
  speed.log_spread = choice->log_spread();
  speed.distance = choice->distance();
  speed.provenance = {"kernel speed",
                      fmt::format("efficiency curve x{:.3g}, so that {} takes {} a step", speed.factor,
                                  choice->anchor.id, to_text(measured)),
                      choice->anchor.source};
  return speed;
}

void add_job(Prediction& prediction, const PredictRequest& request, const Plan& plan, double step_spread) {
  if (plan.recipe.empty()) return;
  JobClockInputs inputs;
  inputs.benchmark = plan.model.benchmark;
  try {
    inputs.target = samples_to_target(plan.model.benchmark, plan.recipe, plan.global_batch);
  } catch (const Infeasible& e) {
    prediction.warnings.push_back(fmt::format("no time to target: {}", e.what()));
    return;
  }
  if (const auto epochs = setting(request.settings, "epochs"); !epochs.empty()) {
    inputs.target.epochs = parse_number(epochs);
    inputs.target.samples = inputs.target.epochs * static_cast<double>(plan.model.dataset.train_samples);
    inputs.target.log_spread = 0;
    inputs.target.warnings.clear();
  }
  inputs.global_batch = plan.global_batch;
  inputs.throughput = prediction.throughput;
  inputs.validation_samples = static_cast<double>(plan.model.dataset.validation_samples);
  inputs.family = plan.cluster.accelerator.family;
  inputs.accelerators = plan.cluster.ranks();
  prediction.inputs.target = convergence_table(plan.model.benchmark).recipe(plan.recipe).target;
  prediction.job = job_clock(inputs);
  prediction.time_to_accuracy = time_to_accuracy(*prediction.job);
  const double spread = time_log_spread(inputs, step_spread);
  prediction.interval.time_to_accuracy = lognormal_interval(prediction.time_to_accuracy->value, spread);
  for (const auto& warning : inputs.target.warnings) prediction.warnings.push_back(warning);
  for (const auto& entry : job_provenance(inputs)) prediction.provenance.push_back(entry);

  const bool spot = setting(request.settings, "price") == "preemptible";
  const auto price = system_price(plan.cluster, spot ? PriceKind::preemptible : PriceKind::on_demand);
  if (!price) {
    prediction.warnings.push_back(
        fmt::format("no {} price is known for this system, so no cost", spot ? "preemptible" : "on-demand"));
    return;
  }
  prediction.cost = job_cost(*prediction.job, price->value);
  prediction.interval.cost = job_cost_interval(*prediction.job, price->value, *prediction.interval.time_to_accuracy);
  prediction.provenance.push_back({"price", to_text(price->value), price->source});
}

void add_inputs(Prediction& prediction, const PredictRequest& request, const Plan& plan, const LoweredPlan& lowered) {
  auto& inputs = prediction.inputs;
  inputs.topology = plan.cluster.name;
  inputs.workload = plan.model.name;
  inputs.accelerator = plan.cluster.accelerator.name;
  inputs.parallelism = fmt::format("data={}", plan.cluster.ranks());
  inputs.precision = std::string(name(plan.step.precision));
  inputs.fidelity = std::string(name(request.fidelity));
  inputs.recipe = plan.recipe;
  inputs.accelerators = plan.cluster.ranks();
  inputs.global_batch = plan.global_batch;
  inputs.batch_per_accelerator = plan.step.batch_per_accelerator;
  inputs.seed = request.seed;
  inputs.settings = request.settings;
  // Most steps use one algorithm for all their collectives: it is named once.
  std::map<std::string, std::pair<std::string, std::string>> by_algorithm;  // -> kinds, reason
  for (const auto& [kind, planned] : lowered.collectives) {
    auto& [kinds, reason] = by_algorithm[planned.schedule.algorithm];
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", name(kind));
    reason = planned.reason;
  }
  for (const auto& [algorithm, use] : by_algorithm) {
    inputs.collective += fmt::format("{}{} by {}", inputs.collective.empty() ? "" : "; ", use.first, algorithm);
    prediction.provenance.push_back({use.first,
                                     fmt::format("{}: {}", algorithm, use.second),
                                     {Provenance::fitted, "closed form on the system's own links", ""}});
  }
}

void add_provenance(Prediction& prediction, const Plan& plan, const StepCost& step_cost, const KernelCost& cost) {
  const auto& accelerator = plan.cluster.accelerator;
  // Measured, efficiency curve, roofline: each that some kernels rest on.
  const auto shares = step_cost.basis_shares();
  const auto add_basis = [&](CostBasis basis, const std::string& how) {
    const double share = shares[static_cast<std::size_t>(basis)];
    if (share <= 0) return;
    prediction.provenance.push_back(
        {"kernel cost", fmt::format("{} for {:.3g} % of kernel time", how, 100 * share), cost.source(basis)});
  };
  add_basis(CostBasis::measured, "measured kernels");
  add_basis(CostBasis::efficiency_curve,
            fmt::format("efficiency curve ({} x compute, {} x memory, {} a kernel)", cost.curve().compute,
                        cost.curve().memory, to_text(cost.curve().per_kernel)));
  add_basis(CostBasis::roofline, "roofline of the data sheet");
  prediction.provenance.push_back({"fixed step time",
                                   fmt::format("{} ({})", to_text(plan.stack.step_overhead),
                                               plan.stack.stack.empty() ? "no stack" : plan.stack.stack),
                                   plan.stack.source});
  if (accelerator.memory.value.value > 0) {
    prediction.provenance.push_back({"memory", to_text(accelerator.memory.value), accelerator.memory.source});
  }
  if (plan.cluster.ranks() < 2) return;
  // Every kind of link that the system has, once.
  std::vector<bool> seen(plan.efficiency.by_kind.size(), false);
  for (LinkIndex i = 0; i < plan.cluster.links(); ++i) {
    const LinkKind kind = plan.cluster.link(i).kind;
    if (seen[static_cast<std::size_t>(kind)]) continue;
    seen[static_cast<std::size_t>(kind)] = true;
    const auto& entry = plan.efficiency[kind];
    prediction.provenance.push_back({fmt::format("{} links", link_kind_name(kind)),
                                     fmt::format("{} a direction, {:.0f} % of it reached",
                                                 to_text(plan.cluster.link(i).bandwidth), 100 * entry.share),
                                     entry.source});
  }
}

}  // namespace

Prediction predict(const PredictRequest& request, Timeline* timeline) {
  const auto started = std::chrono::steady_clock::now();
  const Plan plan = make_plan(request);
  const LoweredPlan lowered = lower_plan(plan);
  const KernelCost cost(plan.cluster.accelerator, plan.step.precision, request.profiles);
  const KernelSpeed speed = kernel_speed(request, plan, cost);
  const StepCost step_cost(plan, lowered, cost);

  const StepOutcome outcome = simulate_step(step_cost.inputs(speed.factor, request.fidelity, plan.engine));
  const int ranks = plan.cluster.ranks();

  Prediction prediction;
  prediction.warnings = plan.warnings;
  add_inputs(prediction, request, plan, lowered);
  prediction.step = step_breakdown(outcome, plan, step_cost.nominal_time(speed.factor));
  prediction.throughput = plan.global_batch / prediction.step.time;
  const Seconds single = single_rank_time(plan, cost, speed.factor);
  prediction.speedup = ranks * (single / prediction.step.time);
  prediction.scaling_efficiency = prediction.speedup / ranks;
  prediction.mfu = step_cost.flop() / (prediction.step.time * cost.peak());
  prediction.memory.per_accelerator = memory_use(plan.model, plan.step).total();
  prediction.memory.largest_batch_per_accelerator =
      largest_batch(plan.model, plan.step, plan.cluster.accelerator.memory.value);
  prediction.interval.step_time = lognormal_interval(prediction.step.time.value, speed.log_spread);
  prediction.distance = speed.distance;
  prediction.provenance.insert(prediction.provenance.begin(), speed.provenance);
  add_provenance(prediction, plan, step_cost, cost);
  add_job(prediction, request, plan, speed.log_spread);

  prediction.simulation.fidelity = std::string(name(request.fidelity));
  prediction.simulation.engine = outcome.engine;
  prediction.simulation.ranks = ranks;
  prediction.simulation.classes = outcome.classes;
  prediction.simulation.flows = outcome.flows;
  prediction.simulation.events = outcome.events;
  prediction.simulation.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (timeline != nullptr) *timeline = outcome.timeline;
  return prediction;
}

}  // namespace mlsim
