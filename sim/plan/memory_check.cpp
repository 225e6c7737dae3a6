#include "sim/plan/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "sim/plan/batch_choice.hpp"
#include "sim/plan/split_advice.hpp"
#include "topologies/accelerator_file.hpp"
#include "workloads/pipeline/pipeline_memory.hpp"

namespace mlsim::sim {
namespace {

constexpr int kMostRanks = 1 << 20;  // a larger cluster is no advice
constexpr std::size_t kMostNames = 3;

// What to set, and the plan that it makes.
struct Remedy {
  std::string setting;
  StepPlan step;
};

// The largest batch of one rank's part with a step laid out so.
int most_samples(const Plan& plan, const StepPlan& step) {
  const Bytes memory = plan.cluster.accelerator.memory.value;
  return plan.pipeline ? largest_pipeline_batch(plan.part, step, *plan.pipeline, memory)
                       : largest_batch(plan.part, step, memory);
}

std::vector<Remedy> remedies(const StepPlan& step) {
  StepPlan recompute = step, sharded = step;
  recompute.recompute = true;
  sharded.sharded_update = !step.parallelism.used(kGradientAxes).empty();
  StepPlan both = sharded;
  both.recompute = true;
  return {{"recompute=full", recompute}, {"sharded_update=on", sharded}, {"recompute=full;sharded_update=on", both}};
}

// The fewest ranks, in doublings, over which the optimizer state has to be spread; 0 where none are enough.
int ranks_that_fit(const Plan& plan, StepPlan step) {
  step.recompute = step.sharded_update = true;
  int& data = step.parallelism[Axis::data];
  for (data = std::max(2, data); step.parallelism.ranks() <= kMostRanks; data *= 2) {
    if (most_samples(plan, step) > 0) return step.parallelism.ranks();
  }
  return 0;
}

std::string accelerators_that_hold(Bytes need) {
  std::vector<std::pair<Bytes, std::string>> large;
  for (const auto& name : accelerator_names()) {
    const Bytes memory = load_accelerator(name).memory.value;
    if (memory >= need) large.emplace_back(memory, name);
  }
  std::sort(large.begin(), large.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(kMostNames, large.size()); ++i) {
    names += fmt::format("{}{} ({})", i > 0 ? ", " : "", large[i].second, to_text(large[i].first));
  }
  return names;
}

std::string nearest_that_fits(const Plan& plan) {
  const std::int64_t groups = plan.step.parallelism.batch_ranks();
  if (const int most = most_samples(plan, plan.step); most > 0)
    return fmt::format("at most {} fit (global batch {})", most, most * groups);
  const std::string one = plan.step.micro_batches > 1 ? "one a micro-batch" : "one";
  for (const auto& [setting, step] : remedies(plan.step)) {
    if (const int most = most_samples(plan, step); most > 0) {
      return fmt::format("not even {} fits; with --set \"{}\" at most {} do (global batch {})", one, setting, most,
                         most * groups);
    }
  }
  if (const int wider = ranks_that_fit(plan, plan.step); wider > 0)
    return fmt::format(
        "not even {} fits; that does with the optimizer state spread over {} accelerators (--set "
        "\"recompute=full;sharded_update=on\")",
        one, wider);
  Plan least;
  least.part = plan.part;
  least.pipeline = plan.pipeline;
  least.step = plan.step;
  least.step.batch_per_accelerator = plan.step.micro_batches;
  const Bytes need = plan_memory(least).total();
  const std::string names = accelerators_that_hold(need);
  std::string nearest =
      fmt::format("one sample{} needs {}", plan.step.micro_batches > 1 ? " a micro-batch" : "", to_text(need));
  if (!names.empty()) nearest += fmt::format(", which fits {}", names);
  if (const auto split = split_that_fits(plan))
    return fmt::format("{}; --parallelism {} would do on {}", nearest, *split, plan.cluster.accelerator.title);
  return names.empty()
             ? nearest + ", more than any accelerator of the catalogue holds or a split of the model brings it to"
             : nearest;
}

}  // namespace

MemoryUse plan_memory(const Plan& plan) {
  return plan.pipeline ? pipeline_memory(plan.part, plan.step, *plan.pipeline).use : memory_use(plan.part, plan.step);
}

int largest_part_batch(const Plan& plan) { return most_samples(plan, plan.step); }

void check_memory(const Plan& plan) {
  const Bytes memory = plan.cluster.accelerator.memory.value;
  const MemoryUse use = plan_memory(plan);
  if (use.total() <= memory) return;
  const auto [part, size] = largest_part(use);
  // Where both print alike, the difference is what there is to say.
  const bool alike = to_text(use.total()) == to_text(memory);
  const std::string beyond = alike ? fmt::format(" ({:.2g} % less)", 100 * (1 - memory / use.total())) : "";
  const char* const each = plan.step.parallelism.ranks() == plan.step.parallelism.batch_ranks() ? "" : " of each";
  throw Infeasible(fmt::format("{} need{} {}{}, most of it {} ({}, {:.0f} %), and {} holds {}{}; {}",
                               samples_text(plan.step), plan.step.batch_per_accelerator == 1 ? "s" : "",
                               to_text(use.total()), each, part, to_text(size), 100 * (size / use.total()),
                               plan.cluster.accelerator.title, to_text(memory), beyond, nearest_that_fits(plan)));
}

Prediction::Memory memory_answer(const Plan& plan) {
  const MemoryUse use = plan_memory(plan);
  Prediction::Memory answer;
  answer.capacity = plan.cluster.accelerator.memory.value;
  answer.per_accelerator = use.total();
  answer.fits = use.total() <= answer.capacity;
  const Parallelism& parallelism = plan.step.parallelism;
  answer.largest_batch_per_accelerator =
      double(largest_part_batch(plan)) * parallelism.batch_ranks() / parallelism.ranks();
  answer.parts = {use.weights, use.gradients, use.optimizer_state, use.activations, use.workspace, use.buffers};
  return answer;
}

}  // namespace mlsim::sim
