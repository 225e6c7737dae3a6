#include "sim/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/plan/batch_choice.hpp"
#include "sim/plan/memory_check.hpp"
#include "sim/plan/model_part.hpp"
#include "sim/plan/stack_choice.hpp"
#include "sim/plan/step_choice.hpp"
#include "topologies/build_cluster.hpp"
#include "topologies/defects.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

std::string choose_recipe(const std::string& asked, const Plan& plan) {
  if (plan.model.benchmark.empty()) {
    if (!asked.empty())
      throw InputError(fmt::format("--set recipe={}", asked),
                       fmt::format("nothing is known of the convergence of {}; `mlsim list recipes` shows the "
                                   "benchmarks with recipes",
                                   plan.model.name));
    return {};
  }
  std::vector<std::string> known;
  for (const auto& recipe : recipes(plan.model.benchmark)) known.push_back(recipe.name);
  if (known.empty()) return {};
  if (asked.empty()) return default_recipe(plan.model.benchmark, std::string(name(plan.cluster.accelerator.family)));
  if (std::find(known.begin(), known.end(), asked) == known.end()) {
    throw InputError(fmt::format("--set recipe={}", asked), unknown_word("recipe", asked, known));
  }
  return asked;
}

// What a step of the plan pushes to servers: data parallelism is all they are modelled for.
void check_server_axes(const StepPlan& step) {
  if (step.parameter_servers && step.parallelism != data_parallel(step.parallelism.ranks()))
    throw Infeasible(fmt::format("parameter servers serve ranks that hold the whole model, not {}; data={} works",
                                 to_text(step.parallelism), step.parallelism.ranks()));
}

void check_horovod(const Plan& plan) {
  if (plan.cluster.accelerator.family == AcceleratorFamily::tpu)
    throw Infeasible(fmt::format("Horovod runs on GPUs and processors, not on {}; exchange=buckets works",
                                 plan.cluster.accelerator.name));
  if (plan.step.parallelism != data_parallel(plan.cluster.ranks()))
    throw Infeasible(fmt::format("Horovod sums gradients over ranks that hold the whole model, not {}; data={} works",
                                 to_text(plan.step.parallelism), plan.cluster.ranks()));
}

// The terms of a stack with servers, where a profile has them under its name and "-servers".
void use_server_terms(Plan& plan, const ProfileRefs& profiles) {
  const std::string name = plan.stack.stack + "-servers";
  for (const Profile& profile : profiles) {
    if (profile.accelerator != plan.cluster.accelerator.name) continue;
    for (const StackTerm& term : profile.stacks)
      if (term.stack == name) plan.stack = term;
  }
}

}  // namespace

Plan make_plan(const PredictRequest& request) {
  const ProfileRefs profiles = profiles_of(request);
  Plan plan;
  plan.options = request.options;
  plan.model = load_model(request.workload);
  plan.cluster = build_cluster(request.topology, request.accelerators, request.options.defects.all());
  plan.warnings = plan.cluster.notes;
  plan.recipe = choose_recipe(request.options.job.recipe, plan);
  plan.stack = choose_stack(profiles, request.anchors, plan.cluster.accelerator.name,
                            std::string(name(plan.model.family)), request.options.software.stack);
  plan.servers = choose_servers(request.options.software.servers, plan.model, plan.cluster);
  if (plan.servers) use_server_terms(plan, profiles);
  plan.step = choose_step(request, plan);
  // Parameter servers speak for themselves, not through a library of collectives.
  if (!plan.servers) plan.measured = MeasuredCollectives(plan.cluster, profiles);
  plan.efficiency = plan.servers ? fitted_links()
                                 : communicator_links(plan.cluster, request.options.exchange.communicator,
                                                      plan.step.gradient_element, plan.measured);
  check_axes(plan.options, plan.step.parallelism);
  plan.step.batch_per_accelerator = plan.step.micro_batches;  // until the batch is chosen
  split(plan);
  plan.warnings.insert(plan.warnings.end(), plan.part.notes.begin(), plan.part.notes.end());
  plan.global_batch = choose_batch(request, plan);
  plan.step.batch_per_accelerator = plan.global_batch / plan.step.parallelism.batch_ranks();
  check_micro_batches(plan.step);
  if (plan.pipeline) plan.pipeline = pipeline_plan(plan);  // balanced for these micro-batches
  check_server_axes(plan.step);
  if (plan.options.exchange.uses_horovod()) check_horovod(plan);
  check_memory(plan);
  return plan;
}

}  // namespace mlsim::sim
