#include "sim/plan/part_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/statement.hpp"
#include "core/text/units_text.hpp"
#include "sim/plan/batch_choice.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "workloads/pipeline/pipeline_memory.hpp"

namespace mlsim::sim {
namespace {

constexpr int kMostAdvisedRanks = 4096;
constexpr int kMostTensorRanks = 8;  // all-reduces in every layer want the fast links of one node

Parallelism along(Axis axis, int ranks) {
  Parallelism parallelism;
  parallelism[axis] = ranks;
  return parallelism;
}

std::vector<Parallelism> splits_of(int ranks) {
  std::vector<Parallelism> splits;
  if (ranks <= kMostTensorRanks) splits.push_back(along(Axis::tensor, ranks));
  splits.push_back(along(Axis::embedding, ranks));
  splits.push_back(along(Axis::expert, ranks));
  if (ranks > kMostTensorRanks) {
    splits.push_back(along(Axis::pipeline, ranks / kMostTensorRanks));
    splits.back()[Axis::tensor] = kMostTensorRanks;
  }
  splits.push_back(along(Axis::pipeline, ranks));
  return splits;
}

bool fits(const PartSource& source, StepPlan step, const Parallelism& parallelism) {
  step.parallelism = parallelism;
  const std::optional<ModelPart> part = possible_split(source, step);
  if (!part) return false;
  step.micro_batches = 1;
  return most_samples(*part, step, source.accelerator.memory.value) > 0;
}

// Finds the split over the fewest accelerators, in doublings up to 4096, with which one sample of the model fits with a
// step like `step`; empty where none does. Fewer than `fewest_ranks` are known not to.
std::optional<Parallelism> split_that_fits(const PartSource& source, const StepPlan& step, int fewest_ranks) {
  for (int ranks = 2; ranks <= kMostAdvisedRanks; ranks *= 2) {
    if (ranks < fewest_ranks) continue;
    for (const Parallelism& parallelism : splits_of(ranks)) {
      if (fits(source, step, parallelism)) return parallelism;
    }
  }
  return {};
}

// Writes "--parallelism tensor=8,pipeline=4 would do", where there are fewer accelerators with how many do.
std::string advice(const Parallelism& split, int ranks, const AcceleratorSpec& accelerator) {
  std::string text = to_text(split);
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  if (split.ranks() <= ranks) return fmt::format("--parallelism {} would do", text);
  return fmt::format("{} x {} would do, with --parallelism {}", split.ranks(), accelerator.name, text);
}

constexpr int kMostRanks = 1 << 20;  // a larger cluster is no advice
constexpr std::size_t kMostNames = 3;

// A remedy is a setting and the step that it makes.
struct Remedy {
  std::string setting;
  StepPlan step;
};

std::vector<Remedy> remedies(const StepPlan& step) {
  StepPlan recompute = step, sharded = step;
  recompute.recompute = Recompute::full;
  if (!step.parallelism.used(kGradientAxes).empty())
    sharded.sharding = std::max(step.sharding, StateSharding::optimizer);
  StepPlan both = sharded;
  both.recompute = Recompute::full;
  return {{"recompute=full", recompute}, {"sharding=optimizer", sharded}, {"recompute=full;sharding=optimizer", both}};
}

// Returns the fewest ranks, in doublings, over which the optimizer state has to be spread; 0 where none are enough.
int ranks_that_fit(const ModelPart& part, StepPlan step, Bytes memory) {
  step.recompute = Recompute::full;
  step.sharding = std::max(step.sharding, StateSharding::optimizer);
  int& data = step.parallelism[Axis::data];
  const int others = step.parallelism.ranks() / data, fewest = std::max(2, data);
  for (data = fewest; 2 * data * others <= kMostRanks;) data *= 2;
  if (data * others > kMostRanks || most_samples(part, step, memory) == 0) return 0;
  for (data = fewest; most_samples(part, step, memory) == 0;) data *= 2;
  return step.parallelism.ranks();
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

// Suggests accelerators or a split when even one sample a micro-batch does not fit.
std::string other_machine(const PartSource& source, const ModelPart& part, const StepPlan& step) {
  StepPlan least = step;
  least.batch_per_accelerator = step.micro_batches;
  const MemoryUse use = part_memory(part, least);
  const Bytes need = use.total();
  const std::string names = accelerators_that_hold(need);
  std::string nearest =
      fmt::format("one sample{} needs {}", step.micro_batches > 1 ? " a micro-batch" : "", to_text(need));
  if (!names.empty()) nearest += fmt::format(", which fits {}", names);
  // Ranks share at best all of it evenly, and need no buffers of gradients. A stage keeps several micro-batches, so
  // that the need of a pipeline says nothing.
  const double least_ranks = (need - use.buffers) / source.accelerator.memory.value;
  const int ranks = part.pipeline ? 1 : static_cast<int>(std::ceil(least_ranks));
  if (const auto split = split_that_fits(source, step, ranks))
    return fmt::format("{}; {}", nearest, advice(*split, step.parallelism.ranks(), source.accelerator));
  return names.empty()
             ? nearest + ", more than any accelerator of the catalogue holds or a split of the model brings it to"
             : nearest;
}

// The text is "at most 10 fit (global batch 80)".
Statement largest_batch(const char* before, int most, const char* after, std::int64_t groups) {
  const auto all = static_cast<double>(most * groups);
  return {before,
          named("batch_per_accelerator", most),
          after,
          " (global batch ",
          NamedQuantity{"global_batch", "1", all, fmt::format("{:.0f}", all)},
          ")"};
}

Statement nearest_that_fits(const PartSource& source, const ModelPart& part, const StepPlan& step) {
  const Bytes memory = source.accelerator.memory.value;
  const std::int64_t groups = step.parallelism.batch_ranks();
  if (const int most = most_samples(part, step, memory); most > 0)
    return largest_batch("at most ", most, " fit", groups);
  const std::string one = step.micro_batches > 1 ? "one a micro-batch" : "one";
  for (const auto& [setting, changed] : remedies(step)) {
    if (const int most = most_samples(part, changed, memory); most > 0) {
      return {"not even ",
              one,
              " fits; with --set \"",
              named("setting", setting),
              "\" ",
              largest_batch("at most ", most, " do", groups)};
    }
  }
  if (const int wider = ranks_that_fit(part, step, memory); wider > 0)
    return {"not even ",
            one,
            " fits; that does with the optimizer state spread over ",
            named("accelerators", wider),
            " accelerators (--set \"",
            named("setting", "recompute=full;sharding=optimizer"),
            "\")"};
  return other_machine(source, part, step);
}

}  // namespace

MemoryUse part_memory(const ModelPart& part, const StepPlan& step) {
  return part.pipeline ? pipeline_memory(part.sharded, step, *part.pipeline).use : memory_use(part.sharded, step);
}

int most_samples(const ModelPart& part, const StepPlan& step, Bytes memory) {
  return part.pipeline ? largest_pipeline_batch(part.sharded, step, *part.pipeline, memory)
                       : largest_batch(part.sharded, step, memory);
}

Prediction::Memory memory_answer(const ModelPart& part, const StepPlan& step, Bytes memory) {
  const MemoryUse use = part_memory(part, step);
  const Parallelism& parallelism = step.parallelism;
  Prediction::Memory answer;
  answer.capacity = memory;
  answer.per_accelerator = use.total();
  answer.fits = use.total() <= tolerated(memory);
  answer.largest_batch_per_accelerator =
      std::max(double(most_samples(part, step, memory)), answer.fits ? step.batch_per_accelerator : 0) *
      parallelism.batch_ranks() / parallelism.ranks();
  answer.parts = {use.weights, use.gradients, use.optimizer_state, use.activations, use.workspace, use.buffers};
  return answer;
}

void check_memory(const PartSource& source, const ModelPart& part, const StepPlan& step) {
  const Bytes memory = source.accelerator.memory.value;
  const MemoryUse use = part_memory(part, step);
  if (use.total() <= tolerated(memory)) return;
  const auto [largest, size] = largest_part(use);
  // The difference is shown where both print alike.
  const bool alike = to_text(use.total()) == to_text(memory);
  const std::string beyond = alike ? fmt::format(" ({:.2g} % less)", 100 * (1 - memory / use.total())) : "";
  const char* const each = step.parallelism.ranks() == step.parallelism.batch_ranks() ? "" : " of each";
  const Statement nearest = nearest_that_fits(source, part, step);
  throw Infeasible(
      fmt::format("{} need{} {}{}, most of it {} ({}, {:.0f} %), and {} holds {}{}; {}", samples_text(step),
                  step.batch_per_accelerator == 1 ? "s" : "", to_text(use.total()), each, largest, to_text(size),
                  100 * (size / use.total()), source.accelerator.title, to_text(memory), beyond, nearest.text),
      nearest);
}

}  // namespace mlsim::sim
