#include "sim/plan/split_advice.hpp"

#include <algorithm>
#include <vector>

#include "sim/plan/part_memory.hpp"

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

}  // namespace

std::optional<std::string> split_that_fits(const PartSource& source, const StepPlan& step, int fewest_ranks) {
  for (int ranks = 2; ranks <= kMostAdvisedRanks; ranks *= 2) {
    if (ranks < fewest_ranks) continue;
    for (const Parallelism& parallelism : splits_of(ranks)) {
      if (!fits(source, step, parallelism)) continue;
      std::string text = to_text(parallelism);
      text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
      return text;
    }
  }
  return {};
}

}  // namespace mlsim::sim
