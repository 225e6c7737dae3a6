#include "sim/plan/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "sim/parameter_server/server_choice.hpp"
#include "sim/plan/stack_choice.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

std::string choose_recipe(const std::string& asked, const Model& model, AcceleratorFamily family) {
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
  if (asked.empty()) return default_recipe(model.benchmark, std::string(name(family)));
  if (std::find(known.begin(), known.end(), asked) == known.end()) {
    throw InputError(fmt::format("--set recipe={}", asked), unknown_word("recipe", asked, known));
  }
  return asked;
}

// The terms of `stack` with servers, where a profile has them under its name and "-servers"; else the stack's own.
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
  std::string recipe = choose_recipe(request.options.job.recipe, model, accelerator.family);
  StackTerm stack = choose_stack(profiles, request.anchors, accelerator.name, std::string(name(model.family)),
                                 request.options.software.stack);
  std::optional<ServerPlan> servers = choose_servers(request.options.software.servers, model, cluster);
  if (servers) stack = with_servers(std::move(stack), accelerator.name, profiles);
  const bool to_target = !recipe.empty() && (model.changed.empty() || !request.options.job.recipe.empty());
  return {std::move(recipe), to_target, std::move(servers), std::move(stack)};
}

}  // namespace mlsim::sim
