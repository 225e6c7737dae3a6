#include "sim/plan/batch_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"
#include "workloads/convergence/convergence.hpp"

namespace mlsim::sim {
namespace {

// The samples of a step are divided over accelerators, or over groups of those that share a sample.
std::string batch_ranks_text(const Parallelism& parallelism) {
  const int groups = parallelism.batch_ranks(), ranks = parallelism.ranks();
  return groups == ranks ? fmt::format("{} accelerators", ranks)
                         : fmt::format("{} group{} of {} accelerators", groups, groups == 1 ? "" : "s", ranks / groups);
}

// Returns the multiple of `unit` nearest to `batch`, of two equally near ones the smaller.
double nearest_multiple(double batch, double unit) { return unit * std::ceil(batch / unit - 0.5); }

// The groups that share samples take whole ones, in micro-batches of equal size. A batch below one sample for each is
// left to the refusals below.
AskedBatch rounded(double batch, const StepPlan& step) {
  const int groups = step.parallelism.batch_ranks();
  const double unit = double(groups) * step.micro_batches;
  if (batch < unit || std::fmod(batch, unit) == 0) return {batch, {}};
  const double nearest = nearest_multiple(batch, unit);
  const std::string parts = step.micro_batches > 1 ? fmt::format(" in {} micro-batches", step.micro_batches) : "";
  return {nearest, fmt::format("a global batch of {:.0f} does not divide over {}{}: the nearest that does, {:.0f}, is "
                               "taken",
                               batch, batch_ranks_text(step.parallelism), parts, nearest)};
}

void check_least_batch(double batch, const Parallelism& parallelism) {
  const int groups = parallelism.batch_ranks();
  if (batch >= groups) return;
  throw Infeasible(fmt::format("a global batch of {} is less than one sample on each of {}; {} is the least", batch,
                               batch_ranks_text(parallelism), groups),
                   {named_exact("global_batch", groups), " is the least"});
}

void check_micro_batches(const StepPlan& step) {
  const int parts = step.micro_batches;
  const double batch = step.batch_per_accelerator, size = batch / parts;
  if (size == std::floor(size)) return;
  const double below = std::floor(size) * parts, above = below + parts;
  const std::string nearest = below > 0 ? fmt::format("{:g} and {:g} do", below, above) : fmt::format("{:g} do", above);
  int fewer = std::min(parts, static_cast<int>(batch));
  while (std::fmod(batch, fewer) != 0) --fewer;
  throw Infeasible(fmt::format("{} do{} not divide into {} micro-batches; {}, or into {} micro-batch{}",
                               samples_text(step), batch == 1 ? "es" : "", parts, nearest, fewer,
                               fewer == 1 ? "" : "es"));
}

}  // namespace

std::optional<AskedBatch> asked_batch(const PredictRequest& request, const StepPlan& step) {
  const auto absurd = [](double batch) { return !(batch > 0) || batch > 1e9 || batch != std::floor(batch); };
  if (request.global_batch && request.batch_per_accelerator) {
    throw InputError("--global-batch", "and --batch-per-accelerator exclude each other");
  }
  if (request.batch_per_accelerator) {
    const double b = *request.batch_per_accelerator;
    if (absurd(b)) throw InputError("--batch-per-accelerator", fmt::format("{} is no whole number of samples", b));
    return rounded(b * step.parallelism.ranks(), step);
  }
  if (!request.global_batch) return std::nullopt;
  if (absurd(*request.global_batch))
    throw InputError("--global-batch", fmt::format("{} is no whole number of samples", *request.global_batch));
  if (request.options.job.throughput) return AskedBatch{*request.global_batch, {}};
  check_least_batch(*request.global_batch, step.parallelism);
  return rounded(*request.global_batch, step);
}

double usual_batch(const Model& model, const std::string& recipe, const StepPlan& step, int most) {
  // Large ResNet runs use 256 a chip where memory and convergence allow (MLPerf v0.5-v1.0 logs: 204 to 408). Others
  // take what fits, and no more than one step an epoch; without a recipe no fewer than the steps of the largest batch that
  // ImageNet was trained in, 65,536 of its 1.28 M images (reference runs of MLPerf v1.0). A recipe whose runs kept the
  // samples a rank keeps them here.
  constexpr int kLeastStepsOfEpoch = 20;
  const int groups = step.parallelism.batch_ranks();
  const bool images = model.family == ModelFamily::convolutional;
  const std::int64_t steps = std::int64_t(groups) * (recipe.empty() ? kLeastStepsOfEpoch : 1);
  const int epoch =
      std::max(1, static_cast<int>(std::min<std::int64_t>(model.dataset.train_samples / steps, 1'000'000)));
  int b = std::min(images ? 256 : epoch, most);
  if (recipe.empty() && model.dataset.train_samples > 0) b = std::min(b, epoch);
  if (!recipe.empty()) {
    b = std::min(b, samples_per_rank(model.benchmark, recipe).value_or(b));
    const double known = std::floor(largest_known_batch(model.benchmark, recipe) / groups);
    b = std::min(b, static_cast<int>(std::max(1.0, known)));
  }
  const int parts = step.micro_batches;
  return static_cast<double>(std::max(b / parts, 1) * parts) * groups;
}

StepPlan with_batch(StepPlan step, double global_batch) {
  step.batch_per_accelerator = global_batch / step.parallelism.batch_ranks();
  check_micro_batches(step);
  return step;
}

std::string samples_text(const StepPlan& step) {
  const int sharers = step.parallelism.ranks() / step.parallelism.batch_ranks();
  const double batch = step.batch_per_accelerator;
  const std::string samples = fmt::format("{:g} sample{}", batch, batch == 1 ? "" : "s");
  return sharers == 1 ? samples + " per accelerator" : fmt::format("{} on every {} accelerators", samples, sharers);
}

}  // namespace mlsim::sim
