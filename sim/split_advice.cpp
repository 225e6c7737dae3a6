#include "sim/split_advice.hpp"

#include <algorithm>
#include <vector>

#include "core/errors.hpp"
#include "sim/memory_check.hpp"
#include "sim/model_part.hpp"

namespace mlsim {
namespace {

constexpr int kMostRanks = 4096;
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

bool fits(const Plan& plan, const Parallelism& parallelism) {
  Plan trial;  // not a copy: the graph of a large cluster is megabytes
  trial.model = plan.model;
  trial.cluster.accelerator = plan.cluster.accelerator;
  trial.step = plan.step;
  trial.step.parallelism = parallelism;
  trial.step.micro_batches = 1;
  try {
    trial.part = model_part(trial);
    trial.pipeline = pipeline_plan(trial);
    return largest_part_batch(trial) > 0;
  } catch (const Infeasible&) {
    return false;  // the model cannot be split so
  }
}

}  // namespace

std::optional<std::string> split_that_fits(const Plan& plan) {
  for (int ranks = 2; ranks <= kMostRanks; ranks *= 2) {
    for (const Parallelism& parallelism : splits_of(ranks)) {
      if (!fits(plan, parallelism)) continue;
      std::string text = to_text(parallelism);
      text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
      return text;
    }
  }
  return {};
}

}  // namespace mlsim
