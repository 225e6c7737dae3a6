#include "sim/expert/batch_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "sim/evidence/difference.hpp"
#include "sim/plan/batch_choice.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

const Recipe* recipe_of(const Plan& plan) {
  return plan.software.recipe.empty() ? nullptr : &convergence_table(plan.model.benchmark).recipe(plan.software.recipe);
}

// Keeps the first and the last of ascending batches, and others evenly between them.
std::vector<double> thinned(const std::vector<double>& batches) {
  if (batches.size() <= kMostBatches) return batches;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostBatches; ++i) kept.push_back(batches[i * (batches.size() - 1) / (kMostBatches - 1)]);
  return kept;
}

// Gives the tokens to predict of a sample, or else the positions that a network of pictures or sound reads.
double sample_length(const Model& model) {
  if (model.tokens > 0) return static_cast<double>(model.tokens);
  const auto positions = [](double sum, const ModelInput& input) { return sum + input.shape.height; };
  return std::max(1.0, std::accumulate(model.inputs.begin(), model.inputs.end(), 0.0, positions));
}

StepPlan laid_out(StepPlan step, const Layout& layout) {
  step.parallelism = data_parallel(layout.groups);
  step.micro_batches = layout.micro_batches;
  return step;
}

}  // namespace

bool goes_by_batch(const Plan& plan, const JobOptions& job) {
  const Recipe* recipe = recipe_of(plan);
  return recipe != nullptr && plan.software.to_target && !job.has_length() && !recipe->by_accelerators &&
         recipe->samples_per_rank == 0 && !recipe->points.empty();
}

std::vector<double> recipe_batches(const Plan& plan, const JobOptions& job) {
  std::set<double> batches;
  if (goes_by_batch(plan, job))
    for (const ConvergencePoint& point : recipe_of(plan)->points) batches.insert(point.batch);
  return thinned({batches.begin(), batches.end()});
}

double samples_of_job(const Plan& plan, double global_batch) {
  return samples_to_target(plan.model.benchmark, plan.software.recipe, global_batch, plan.cluster->ranks()).samples;
}

std::optional<BatchCandidate> held_batch(const Layout& layout, double global) {
  const double unit = double(layout.groups) * layout.micro_batches;
  const double batch = unit * std::max(1.0, std::ceil(global / unit - 0.5));
  const double each = batch / layout.groups;
  if (global < layout.groups) return std::nullopt;
  if (layout.micro_batches > 1)
    return each <= layout.most_samples ? std::optional(BatchCandidate{batch, layout.micro_batches}) : std::nullopt;
  int parts = std::max(1, static_cast<int>(std::ceil(each / layout.most_samples)));
  while (std::fmod(each, parts) != 0) ++parts;
  return BatchCandidate{batch, parts};
}

std::vector<BatchCandidate> batch_candidates(const Plan& plan, const JobOptions& job, const Layout& layout,
                                             std::optional<double> each_on_record) {
  const double ranks = plan.cluster->ranks();
  std::set<double> wanted;
  if (plan.software.recipe.empty() && each_on_record)
    wanted.insert(std::max(*each_on_record * ranks, double(layout.groups)));
  if (wanted.empty() && plan.software.recipe.empty() && plan.model.tokens > 0 && layout.micro_batches == 1)
    wanted.insert(std::max(usual_language_batch(plan.model, plan.cluster->ranks()), double(layout.groups)));
  if (wanted.empty())
    wanted.insert(usual_batch(plan.model, plan.software.recipe, laid_out(plan.step, layout), layout.most_samples));
  const std::vector<double> points = recipe_batches(plan, job);
  for (const double batch : points) wanted.insert(std::max(batch, double(layout.groups)));
  // A batch smaller than all published ones is for a layout that holds none of these.
  if (!points.empty()) wanted.erase(wanted.begin(), wanted.lower_bound(points.front()));
  std::vector<BatchCandidate> found;
  for (const double batch : wanted) {
    const auto held = held_batch(layout, batch);
    // A batch that has to be computed in parts is no quicker than one that need not.
    if (!held || (held->micro_batches > layout.micro_batches && !found.empty())) continue;
    if (found.empty() || found.back().global < held->global) found.push_back(*held);
  }
  return found;
}

double usual_language_batch(const Model& model, int ranks) {
  struct Recipe {
    double parameters, tokens;
  };
  // Brown et al., arXiv:2005.14165, table 2.1, and Llama 3 405B, arXiv:2407.21783, section 3.4.1.
  static constexpr std::array<Recipe, 9> kRecipes{{{125e6, 0.5e6},
                                                   {350e6, 0.5e6},
                                                   {760e6, 0.5e6},
                                                   {1.3e9, 1e6},
                                                   {2.7e9, 1e6},
                                                   {6.7e9, 2e6},
                                                   {13e9, 2e6},
                                                   {175e9, 3.2e6},
                                                   {405e9, 16e6}}};
  // That last run had 2048 sequences on 16 384 accelerators, the fewest for each of the published large ones.
  constexpr double kAcceleratorsOfSample = 8;
  // 128 sequences of 8192 tokens on 64 H100 (NVIDIA NeMo 24.07 to 25.07, performance summary). NVIDIA/dgxc-benchmarking
  // keeps as many on each of 64 to 2048 of them for 15 and 70 G parameters; models from 175 G on keep a quarter. More
  // accelerators share the 34 M tokens of those, which lie between the 16 M of Llama 3 405B and the 63 M of DeepSeek-V3
  // (arXiv:2412.19437, section 4.2): steps by more are not what a model is trained in.
  constexpr double kTokensOfAccelerator = 16384, kLargeModel = 100e9;
  constexpr int kMostByMachine = 2048;
  const double length = sample_length(model);
  const bool adapters =
      std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return !layer.trainable; });
  // A whole number of samples each, or one for so many as a power of two, which layouts divide.
  const double each = kTokensOfAccelerator / length;
  const double samples_each = each < 1 ? std::exp2(std::floor(std::log2(each))) : std::floor(each);
  const double by_machine = std::floor(samples_each * std::min(ranks, kMostByMachine));
  if (adapters) return std::max(1.0, by_machine);
  const double parameters = static_cast<double>(model.parameters());
  const auto apart = [&](const Recipe& recipe) { return std::abs(std::log(parameters / recipe.parameters)); };
  const Recipe& nearest = *std::min_element(kRecipes.begin(), kRecipes.end(),
                                            [&](const Recipe& a, const Recipe& b) { return apart(a) < apart(b); });
  // Batches are powers of two.
  const double usual = std::exp2(std::max(0.0, std::round(std::log2(nearest.tokens / length))));
  return std::max(usual, parameters < kLargeModel ? by_machine : std::ceil(ranks / kAcceleratorsOfSample));
}

std::optional<double> batch_on_record(const Evidence& evidence, const Plan& plan) {
  const ChipTraits chip = chip_traits(plan.cluster->accelerator.name);
  std::optional<double> each;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Evidence::Run& run : evidence.of_network(std::string(network_name(plan.model.name)))) {
    const bool here = run.traits.chip.name == chip.name || run.traits.chip.same_speed(chip);
    if (!here || run.traits.workload != plan.model.name || run.traits.precision != plan.step.precision) continue;
    const double apart = doublings_apart(plan.cluster->ranks(), run.traits.accelerators);
    if (apart > nearest || (apart == nearest && run.traits.batch_each() <= *each)) continue;
    nearest = apart;
    // A batch that is run in parts is one of the whole: fewer accelerators run more parts. Those of language models grow
    // with the machine.
    const bool in_parts = !trains_as_language_model(plan.model) && run.traits.micro_batch < run.traits.batch_each();
    each = in_parts ? run.traits.global_batch / plan.cluster->ranks() : run.traits.batch_each();
  }
  return each;
}

std::optional<double> most_on_record(const Evidence& evidence, const Plan& plan) {
  constexpr double kFewerAccelerators = 2;
  if (!mlperf_round(plan.software.recipe)) return std::nullopt;  // its runs followed another recipe
  const double ranks = plan.cluster->ranks();
  std::optional<double> of_kind, of_all;
  for (const Evidence::Run& run : evidence.of_network(std::string(network_name(plan.model.name)))) {
    const RunTraits& ran = run.traits;
    const bool as_large = ran.accelerators <= ranks && ran.accelerators * kFewerAccelerators >= ranks;
    if (!as_large || !mlperf_round(ran.stack.name)) continue;
    of_all = std::max(of_all.value_or(0), ran.global_batch);
    if (ran.chip.kind == plan.cluster->accelerator.chip) of_kind = std::max(of_kind.value_or(0), ran.global_batch);
  }
  return of_kind ? of_kind : of_all;
}

}  // namespace mlsim::sim
