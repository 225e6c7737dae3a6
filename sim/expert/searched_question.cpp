#include "sim/expert/settled_question.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/expert/batch_candidates.hpp"
#include "sim/expert/layout.hpp"

namespace mlsim::sim {
namespace {

constexpr std::size_t kCosted = 6, kShown = 5;
constexpr double kLeastLimit = 0.1;  // of a step: below, kernels are what limits it

// Returns the nearest batch, by doublings, that layouts of the ranks divide: 96 for 128 on 384 ranks.
double divided_batch(double batch, int ranks) {
  int odd = ranks;
  while (odd % 2 == 0) odd /= 2;
  return odd == 1 ? batch : odd * std::exp2(std::max(0.0, std::round(std::log2(batch / odd))));
}

double searched_batch(const PredictRequest& request, const Plan& plan) {
  if (request.global_batch) return *request.global_batch;
  if (request.batch_per_accelerator) return plan.global_batch();
  const double ranks = plan.cluster->ranks();
  if (const auto on_record = batch_on_record(request.anchors, plan))
    return std::max(1.0, std::round(*on_record * ranks));
  return divided_batch(usual_language_batch(plan.model, plan.cluster->ranks()), plan.cluster->ranks());
}

std::string limit_of(const LayoutEstimate& estimate) {
  const std::array<std::pair<Seconds, const char*>, 3> parts{
      std::pair(estimate.bubble, "pipeline bubble"), std::pair(estimate.inside, "exchanges inside layers"),
      std::pair(estimate.data, "exchange of gradients and weights")};
  const auto most =
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return most->first < kLeastLimit * estimate.time() ? "kernels" : most->second;
}

struct Costed {
  PredictRequest request;
  LayoutChoice choice;
  std::shared_ptr<const CostedStep> step;
};

std::optional<Costed> costed(const PredictRequest& request, const FoundLayout& found, double batch,
                             QuestionCache& cache) {
  Costed costed{found.layout.of(request), {}, {}};
  costed.request.batch_per_accelerator.reset();
  costed.request.global_batch = batch;
  try {
    costed.step = shared_costed_step(costed.request, cache);
    const LayoutEstimate& estimate = found.estimate;
    costed.choice = {found.layout.text(), costed.step->cost().nominal_time(), estimate.memory,
                     estimate.bubble / estimate.time(), limit_of(estimate)};
    return costed;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

// Adds a layout to those before it. Steps are large: only the quickest layout keeps its own.
void add_costed(std::vector<Costed>& all, Costed layout) {
  const auto quickest = std::find_if(all.begin(), all.end(), [](const Costed& each) { return each.step != nullptr; });
  if (quickest != all.end()) {
    const bool quicker = layout.choice.step_time < quickest->choice.step_time;
    (quicker ? quickest->step : layout.step).reset();
  }
  all.push_back(std::move(layout));
}

std::vector<Costed> costed_layouts(const PredictRequest& request, const Plan& plan, double batch, std::size_t most,
                                   QuestionCache& cache) {
  const Bytes room = plan.cluster->accelerator.memory.value * (1 - request.memory_margin);
  std::vector<Costed> all;
  for (const FoundLayout& found : searched_layouts(request, plan, batch, room, most))
    if (auto each = costed(request, found, batch, cache)) add_costed(all, std::move(*each));
  return all;
}

// Returns what fits with the optimizer's state in the host's memory; nothing where the question says of that or the
// accelerator has no link to its host but PCIe, over which more accelerators are what people take.
std::vector<Costed> offloaded_layouts(PredictRequest request, Plan plan, double batch, std::size_t most,
                                      QuestionCache& cache) {
  if (request.options.given.contains("offload") || plan.cluster->accelerator.host_link.value.value <= 0) return {};
  request.options.memory.offload.optimizer = plan.step.offload.optimizer = true;
  std::vector<Costed> all = costed_layouts(request, plan, batch, most, cache);
  for (Costed& each : all) each.choice.layout += ", offload=optimizer";
  return all;
}

// Returns the layouts that are found, or with the host's help where none is, the quickest first.
std::vector<Costed> quickest_layouts(const PredictRequest& request, const Plan& plan, double batch, std::size_t most,
                                     QuestionCache& cache) {
  std::vector<Costed> all = costed_layouts(request, plan, batch, most, cache);
  if (all.empty()) all = offloaded_layouts(request, plan, batch, most, cache);
  std::stable_sort(all.begin(), all.end(),
                   [](const Costed& a, const Costed& b) { return a.choice.step_time < b.choice.step_time; });
  return all;
}

// Returns the batch of the recipe's runs that is quickest to the target, each in the layout that is estimated to be
// the quickest; empty where none is laid out.
std::optional<double> quickest_batch(const PredictRequest& request, const Plan& plan,
                                     const std::vector<double>& batches, QuestionCache& cache) {
  std::optional<double> quickest;
  double least = std::numeric_limits<double>::infinity();
  for (const double published : batches) {
    const double batch = divided_batch(published, plan.cluster->ranks());
    const std::vector<Costed> layouts = quickest_layouts(request, plan, batch, 1, cache);
    if (layouts.empty()) continue;
    const double time = samples_of_job(plan, batch) / batch * layouts.front().choice.step_time.value;
    if (time >= least) continue;
    least = time;
    quickest = batch;
  }
  return quickest;
}

}  // namespace

std::optional<SearchedQuestion> searched_question(const PredictRequest& request, const Plan& plan,
                                                  QuestionCache& cache) {
  const bool told = names_batch(request);
  const std::vector<double> published = told ? std::vector<double>() : recipe_batches(plan, request.options.job);
  const std::optional<double> to_target = quickest_batch(request, plan, published, cache);
  const double batch = to_target.value_or(searched_batch(request, plan));
  std::vector<Costed> all = quickest_layouts(request, plan, batch, kCosted, cache);
  if (all.empty()) return std::nullopt;
  SearchedQuestion searched{std::move(all.front().request), {}, {}, std::move(all.front().step)};
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) searched.layouts.push_back(std::move(all[i].choice));
  if (!told) {
    searched.chosen.add("batch ", named_count("global_batch", batch));
    if (to_target)
      searched.chosen.add(" (quickest to target of ", named("tried", static_cast<int>(published.size())), ")");
    searched.chosen.add("; ");
  }
  searched.chosen.add(named("layout", searched.layouts.front().layout), " (the quickest that fits, of ",
                      named("layouts", static_cast<int>(all.size())), " costed)");
  return searched;
}

}  // namespace mlsim::sim
