#include "sim/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/answer_parts.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/job/job.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/step/step_limit.hpp"

namespace mlsim::sim {
namespace {

// A lever is a resource that a buyer can have more of, by any factor.
struct Lever {
  std::string name;
  bool latency = false;  // more of it is half of it
  WhatIf more(double factor) const {
    WhatIf what_if;
    set(what_if, latency ? 1 / factor : factor);
    return what_if;
  }
  std::function<void(WhatIf&, double)> set;
};

std::vector<Lever> levers_of(const Cluster& cluster) {
  std::vector<Lever> levers;
  const auto add = [&](const std::string& name, bool latency, std::function<void(WhatIf&, double)> set) {
    levers.push_back({name, latency, std::move(set)});
  };
  add("compute rate", false, [](WhatIf& w, double f) { w.compute = f; });
  add("memory bandwidth", false, [](WhatIf& w, double f) { w.memory = f; });
  if (cluster.ranks() > 1) {
    std::array<bool, 5> seen{};
    for (LinkIndex i = 0; i < cluster.links(); ++i) seen[static_cast<std::size_t>(cluster.link(i).kind)] = true;
    for (std::size_t kind = 0; kind < seen.size(); ++kind) {
      if (!seen[kind]) continue;
      add(fmt::format("{} bandwidth", link_kind_name(static_cast<LinkKind>(kind))), false,
          [kind](WhatIf& w, double f) { w.bandwidth[kind] = f; });
    }
    add("link latency", true, [](WhatIf& w, double f) {
      w.latency.fill(f);
      w.call = f;
    });
  }
  add("batch", false, [](WhatIf& w, double f) { w.batch = f; });
  return levers;
}

// Simulates the step, or one of its what-ifs, with its wait for input.
StepOutcome outcome_of(const CostedStep& step, Fidelity fidelity) {
  StepInputs inputs = step.inputs(fidelity);
  inputs.one_of_many = true;
  StepOutcome outcome = simulate_step(inputs);
  delay_by_input(outcome, input_pipeline(step.plan()).wait(step.plan().global_batch(), outcome.time));
  return outcome;
}

// WhatIfSteps are the step under what-ifs; those that the shares of resources have costed already are not costed again.
struct WhatIfSteps {
  const CostedStep& step;
  const std::vector<Resource>& resources;
  const std::vector<std::unique_ptr<const CostedStep>>& more;
  Fidelity fidelity;
  Seconds time(const CostedStep& of) const { return outcome_of(of, fidelity).time; }
  Seconds operator()(const WhatIf& what_if) const {
    for (std::size_t i = 0; i < resources.size(); ++i)
      if (resources[i].more == what_if) return time(*more[i]);
    return time(*step.under(what_if));
  }
};

ResourceElasticity elasticity_of(const Lever& lever, Seconds time, const WhatIfSteps& steps) {
  const auto step = [&](double factor) { return steps(lever.more(factor)); };
  const double batch = lever.more(2).batch;
  ResourceElasticity result;
  result.resource = lever.name;
  result.change = lever.latency ? "halved" : "doubled";
  // A fraction of a sample more would lie across the edges of tiles: the batch is doubled.
  const double more = batch == 1 ? kLittleMore : 2;
  const double little = std::log(step(more) / time) / std::log(more);
  result.elasticity = lever.latency ? -little : little;
  result.changed_step = step(2);
  result.saved = 1 - result.changed_step / time;
  result.throughput = batch * (time / result.changed_step);
  return result;
}

// What-ifs take formulas where these give this very step, because they then do so with more of a resource for all ranks
// alike.
Fidelity fidelity_of_what_ifs(const CostedStep& step, Seconds time, Fidelity asked) {
  constexpr double kSameStep = 1e-9;
  const Seconds formulas = outcome_of(step, Fidelity::closed).time;
  return std::abs(formulas / time - 1) <= kSameStep ? Fidelity::closed : asked;
}

void add_inputs(Explanation& explanation, const PredictRequest& request, const CostedStep& step) {
  const Plan& plan = step.plan();
  explanation.topology = plan.cluster->name;
  explanation.workload = plan.model.name;
  explanation.accelerator = plan.cluster->accelerator.name;
  explanation.accelerators = plan.cluster->ranks();
  explanation.parallelism = to_text(plan.step.parallelism, plan.options.parallelism.whole_experts);
  explanation.fidelity = std::string(name(request.fidelity));
  explanation.global_batch = plan.global_batch();
  explanation.warnings = step.warnings();
}

}  // namespace

void check_of_one_step(const PredictRequest& request, bool says_goodput) {
  check_one_step(request.options, says_goodput);
  if (request.seed)
    throw InputError(fmt::format("--seed {}", *request.seed), "changes nothing: nothing is drawn in one step");
}

Explanation explain(const PredictRequest& asked) {
  check_of_one_step(asked, true);
  QuestionCache cache;
  const SettledQuestion question = settled(asked, cache);
  const PredictRequest& request = question.request;
  const std::shared_ptr<const CostedStep> kept = costed_step(question, cache);
  const CostedStep& step = *kept;
  const auto goodput = goodput_changes(request, step.plan());
  check_one_step(request.options, !goodput.empty());
  const StepOutcome outcome = outcome_of(step, request.fidelity);
  check_step_limit(outcome.time, outcome.timeline);

  Explanation explanation;
  explanation.chosen = question.chosen;
  add_inputs(explanation, request, step);
  explanation.step_time = outcome.time;
  explanation.goodput = goodput;
  const StepSchedule schedule(*step.lowered().graph, step.cost().durations());
  const auto path = critical_path(schedule, outcome.timeline);
  explanation.path = path_segments(schedule, path);
  const auto resources = resources_of(*step.plan().cluster, step.plan().efficiency);
  std::vector<std::unique_ptr<const CostedStep>> more;
  for (const Resource& resource : resources) more.push_back(step.under(resource.more));
  explanation.resources = resource_shares(step, resources, more, path);
  const WhatIfSteps steps{step, resources, more, fidelity_of_what_ifs(step, outcome.time, request.fidelity)};
  const Seconds time = steps.fidelity == Fidelity::closed ? outcome.time : steps.time(step);
  const std::vector<Lever> levers = levers_of(*step.plan().cluster);
  Activity activity("trying more of each resource", levers.size());
  for (const Lever& lever : levers) {
    explanation.elasticities.push_back(elasticity_of(lever, time, steps));
    activity.advance();
  }
  std::stable_sort(explanation.elasticities.begin(), explanation.elasticities.end(),
                   [](const auto& a, const auto& b) { return a.saved > b.saved; });
  if (!request.own_profiles.empty()) explanation.measure_next = measure_next(step, outcome.time);
  return explanation;
}

}  // namespace mlsim::sim
