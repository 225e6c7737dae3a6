#include "sim/plan/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/plan/stack_choice.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

// Returns the round of the stack asked for; without one, the newest of the profiles' stacks for the accelerator.
std::optional<double> round_of(const PredictRequest& request, const std::string& accelerator) {
  if (const std::string& stack = request.options.software.stack; !stack.empty()) return mlperf_round(stack);
  std::optional<double> newest;
  for (const Profile& profile : profiles_of(request)) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks) newest = std::max(newest, mlperf_round(term.stack));
  }
  return newest;
}

std::string choose_recipe(const PredictRequest& request, const Model& model, const AcceleratorSpec& accelerator) {
  const std::string& asked = request.options.job.recipe;
  if (model.benchmark.empty()) {
    if (!asked.empty())
      throw InputError(fmt::format("--set recipe={}", asked),
                       fmt::format("nothing is known of the convergence of {}; `mlsim list recipes` shows the "
                                   "benchmarks with recipes",
                                   model.name));
    return {};
  }
  std::vector<std::string> known;
  for (const auto& recipe : recipes(model.benchmark)) known.push_back(recipe.name);
  if (known.empty()) return {};
  if (asked.empty()) {
    const std::string family(name(accelerator.family));
    const auto round = round_of(request, accelerator.name);
    return round ? recipe_of_round(model.benchmark, family, *round) : default_recipe(model.benchmark, family);
  }
  if (std::find(known.begin(), known.end(), asked) == known.end()) {
    throw InputError(fmt::format("--set recipe={}", asked), unknown_word("recipe", asked, known));
  }
  return asked;
}

// Returns the terms of `stack` with servers, which a profile has under its name and "-servers"; else the stack's own.
StackTerm with_servers(StackTerm stack, const std::string& accelerator, const ProfileRefs& profiles) {
  const std::string name = stack.stack + "-servers";
  for (const Profile& profile : profiles) {
    if (profile.accelerator != accelerator) continue;
    for (const StackTerm& term : profile.stacks)
      if (term.stack == name) stack = term;
  }
  return stack;
}

}  // namespace

Software choose_software(const PredictRequest& request, const Model& model, const Cluster& cluster) {
  const ProfileRefs profiles = profiles_of(request);
  const AcceleratorSpec& accelerator = cluster.accelerator;
  std::string recipe = choose_recipe(request, model, accelerator);
  StackTerm stack = choose_stack(profiles, request.anchors, accelerator.name, std::string(name(model.family)),
                                 request.options.software.stack);
  std::optional<ServerPlan> servers = choose_servers(request.options.software.servers, model, cluster);
  if (servers) stack = with_servers(std::move(stack), accelerator.name, profiles);
  const bool to_target = !recipe.empty() && (model.changed.empty() || !request.options.job.recipe.empty());
  return {std::move(recipe), to_target, std::move(servers), std::move(stack)};
}

}  // namespace mlsim::sim
