#include "sim/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "core/split.hpp"
#include "core/units_text.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/options/settings.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/plan/batch_choice.hpp"
#include "sim/plan/horovod_options.hpp"
#include "sim/plan/memory_check.hpp"
#include "sim/plan/model_part.hpp"
#include "sim/plan/stack_choice.hpp"
#include "sim/plan/step_choice.hpp"
#include "topologies/build_cluster.hpp"
#include "topologies/defects.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

// "a,b" item by item; nothing where the text is empty.
template <class Add>
void for_each_item(const std::string& list, Add add) {
  if (list.empty()) return;
  for (const auto& item : mlsim::split(list, ',')) add(item);
}

Defects defects_of(const Settings& settings) {
  Defects defects;
  for_each_item(setting(settings, "slow_link"), [&](const auto& t) { defects.links.push_back(parse_slow_link(t)); });
  for_each_item(setting(settings, "failed_link"),
                [&](const auto& t) { defects.links.push_back(parse_failed_link(t)); });
  for_each_item(setting(settings, "slow_rank"), [&](const auto& t) { defects.ranks.push_back(parse_slow_rank(t)); });
  for_each_item(setting(settings, "slow_host"), [&](const auto& t) { defects.hosts.push_back(parse_slow_host(t)); });
  return defects;
}

std::string choose_recipe(const PredictRequest& request, const Plan& plan) {
  if (plan.model.benchmark.empty()) {
    if (request.settings.contains("recipe"))
      throw InputError(fmt::format("--set recipe={}", setting(request.settings, "recipe")),
                       fmt::format("nothing is known of the convergence of {}; `mlsim list recipes` shows the "
                                   "benchmarks with recipes",
                                   plan.model.name));
    return {};
  }
  const std::string asked = setting(request.settings, "recipe");
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
  check_settings(request.settings);
  const ProfileRefs profiles = profiles_of(request);
  Plan plan;
  plan.settings = request.settings;
  plan.model = load_model(request.workload);
  plan.cluster = build_cluster(request.topology, request.accelerators, defects_of(request.settings));
  plan.warnings = plan.cluster.notes;
  plan.recipe = choose_recipe(request, plan);
  plan.stack = choose_stack(profiles, request.anchors, plan.cluster.accelerator.name,
                            std::string(name(plan.model.family)), setting(request.settings, "stack"));
  plan.servers = choose_servers(request.settings, plan.model, plan.cluster);
  if (plan.servers) use_server_terms(plan, profiles);
  if (const auto engine = setting(request.settings, "engine"); !engine.empty()) plan.engine = parse<Engine>(engine);
  plan.overlap_slowdown = parse_number(setting(request.settings, "overlap_slowdown", "0"));
  plan.real_data = setting(request.settings, "data", "synthetic") == "real";
  plan.step = choose_step(request, plan);
  // Parameter servers speak for themselves, not through a library of collectives.
  if (!plan.servers) plan.measured = MeasuredCollectives(plan.cluster, profiles);
  plan.efficiency = plan.servers ? fitted_links()
                                 : communicator_links(plan.cluster, setting(request.settings, "communicator"),
                                                      plan.step.gradient_element, plan.measured);
  check_axis_settings(plan.settings, plan.step.parallelism);
  plan.step.batch_per_accelerator = plan.step.micro_batches;  // until the batch is chosen
  split(plan);
  plan.warnings.insert(plan.warnings.end(), plan.part.notes.begin(), plan.part.notes.end());
  plan.global_batch = choose_batch(request, plan);
  plan.step.batch_per_accelerator = plan.global_batch / plan.step.parallelism.batch_ranks();
  check_micro_batches(plan.step);
  if (plan.pipeline) plan.pipeline = pipeline_plan(plan);  // balanced for these micro-batches
  check_server_axes(plan.step);
  if (uses_horovod(plan.settings)) check_horovod(plan);
  check_memory(plan);
  return plan;
}

}  // namespace mlsim::sim
