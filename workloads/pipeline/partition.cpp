#include "workloads/pipeline/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "core/text/errors.hpp"
#include "workloads/lowering/block.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

// Stages may be so much longer than the best cut's longest where that saves bytes on the way: less than the spread of
// kernel times that the cut goes by.
constexpr double kTolerance = 1.01;

// Returns where a model may be cut into so many stages.
std::vector<int> cuttable_starts(const Model& model, int stages, bool fusion) {
  if (stages < 1) throw InputError(fmt::format("a pipeline has at least 1 stage, not {}", stages));
  std::vector<int> starts = kernel_starts(model, fusion);
  if (starts.size() < static_cast<std::size_t>(stages)) {
    throw Infeasible(fmt::format("{} can be cut into at most {} stages, between its kernels, not into {}", model.name,
                                 starts.size(), stages));
  }
  auto blocks = block_starts(model, fusion);
  return blocks.size() < static_cast<std::size_t>(stages) ? starts : blocks;
}

// Blocks are consecutive, with their costs and what a cut in front of each sends.
class Blocks {
 public:
  Blocks(std::vector<int> starts, const std::vector<Seconds>& layer_cost, const std::vector<double>& crossing)
      : starts_(std::move(starts)), before_{0} {
    for (std::size_t b = 0; b < starts_.size(); ++b) {
      const std::size_t end = b + 1 < starts_.size() ? static_cast<std::size_t>(starts_[b + 1]) : layer_cost.size();
      double cost = before_.back();
      for (std::size_t i = starts_[b]; i < end; ++i) cost += layer_cost[i].value;
      before_.push_back(cost);
      crossing_.push_back(crossing[starts_[b]]);
    }
  }

  // Returns the least largest stage, by bisection on how far a stage may reach.
  double least_largest(std::size_t stages) const {
    double below = 0, above = before_.back();
    for (int round = 0; round < std::numeric_limits<double>::digits; ++round) {
      const double middle = (below + above) / 2;
      (fits(stages, middle) ? above : below) = middle;
    }
    return above;
  }

  // Returns the cuts that send the least of those without a stage above `most`.
  std::vector<int> cheapest_cuts(std::size_t stages, double most) const {
    const std::size_t blocks = starts_.size();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<double> sent(blocks + 1, kNever);  // by end of the last stage so far
    sent[0] = 0;
    std::vector<std::vector<int>> from;  // by stage and end: its first block
    for (std::size_t stage = 0; stage < stages; ++stage) {
      std::vector<double> next(blocks + 1, kNever);
      auto& begin = from.emplace_back(blocks + 1, -1);
      std::deque<std::size_t> best;  // first blocks that are in reach, the cheapest first
      for (std::size_t end = stage + 1; end + (stages - stage - 1) <= blocks; ++end) {
        while (!best.empty() && sent[best.back()] >= sent[end - 1]) best.pop_back();
        if (sent[end - 1] < kNever) best.push_back(end - 1);
        while (!best.empty() && before_[end] - before_[best.front()] > most) best.pop_front();
        if (best.empty()) continue;
        next[end] = sent[best.front()] + (end < blocks ? crossing_[end] : 0);
        begin[end] = static_cast<int>(best.front());
      }
      sent = std::move(next);
    }
    std::vector<int> first(stages);
    std::size_t end = blocks;
    for (std::size_t stage = stages; stage-- > 0;) {
      end = from[stage][end];
      first[stage] = starts_[end];
    }
    return first;
  }

 private:
  bool fits(std::size_t stages, double most) const {
    std::size_t at = 0;
    for (std::size_t stage = 0; stage < stages && at < starts_.size(); ++stage) {
      const auto reach = std::upper_bound(before_.begin(), before_.end(), before_[at] + most);
      const std::size_t next = reach - before_.begin() - 1;
      if (next == at) return false;
      at = next;
    }
    return at == starts_.size();
  }

  std::vector<int> starts_;
  std::vector<double> before_;  // by block: cost of all before it
  std::vector<double> crossing_;
};

}  // namespace

std::vector<LayerPasses> layer_passes(const ShardedModel& sharded, const StepPlan& plan,
                                      const std::function<Seconds(const KernelWork&)>& time) {
  const Model& model = sharded.model;
  const double batch = plan.batch_per_accelerator / plan.micro_batches;
  const auto trained = layers_in_backward(model, sharded.inputs_trained);
  const auto again = plan.recompute == Recompute::selective
                         ? layers_again(model, plan.recompute_modules, plan.recompute_blocks)
                         : std::vector<LayerAgain>(model.layers.size());
  std::vector<LayerPasses> passes(model.layers.size());
  const auto time_of = [&](const Kernels& kernels) {
    Seconds sum;
    for (const auto& kernel : kernels) sum += time(kernel);
    return sum;
  };
  for (const auto& group : kernel_groups(model, plan.fusion)) {
    const Layer& leader = model.layers[group.layers.front()];
    const Seconds forward = time_of(forward_work(model, group, plan.fusion, batch, plan.precision));
    LayerPasses& own = passes[group.layers.front()];
    own.once = forward;
    if (!trained[group.layers.back()]) continue;
    const bool inputs_need_it = std::any_of(leader.inputs.begin(), leader.inputs.end(), [&](int input) {
      return input >= 0 ? trained[input] : sharded.inputs_trained;
    });
    const auto work = backward_work(model, group, plan.fusion, batch, plan.precision, inputs_need_it);
    own.once += time_of(work.input_gradient) + time_of(work.weight_gradient);
    if (plan.recompute == Recompute::full) own.again = forward;
    if (const KernelGroup part = part_again(group, again); !part.layers.empty())
      own.again = time_of(forward_work(model, part, plan.fusion, batch, plan.precision));
    own.load = sharded.load[group.layers.front()];
  }
  return passes;
}

std::vector<Seconds> layer_costs(const ShardedModel& sharded, const StepPlan& plan,
                                 const std::function<Seconds(const KernelWork&)>& time) {
  std::vector<Seconds> costs;
  for (const LayerPasses& passes : layer_passes(sharded, plan, time)) costs.push_back(passes.all());
  return costs;
}

std::vector<double> crossing_elements(const Model& model) {
  std::vector<std::size_t> last_reader(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input >= 0) last_reader[input] = i;
    }
  }
  std::vector<double> change(model.layers.size() + 2);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (last_reader[i] <= i) continue;
    change[i + 1] += double(model.layers[i].output.elements());
    change[last_reader[i] + 1] -= double(model.layers[i].output.elements());
  }
  std::vector<double> crossing;
  double sum = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) crossing.push_back(sum += change[i]);
  return crossing;
}

std::vector<int> balanced_stages(const ShardedModel& sharded, const std::vector<Seconds>& layer_cost, int stages,
                                 bool fusion) {
  const Blocks blocks(cuttable_starts(sharded.model, stages, fusion), layer_cost, crossing_elements(sharded.model));
  return blocks.cheapest_cuts(stages, blocks.least_largest(stages) * kTolerance);
}

std::vector<int> flop_stages(const ShardedModel& sharded, int stages, bool fusion) {
  const auto& layers = sharded.model.layers;
  const std::vector<int> starts = cuttable_starts(sharded.model, stages, fusion);
  std::vector<double> before{0};  // by layer
  for (const auto& layer : layers) before.push_back(before.back() + double(layer.macs()));
  std::vector<int> first{0};
  for (std::size_t b = 1; b < starts.size(); ++b) {
    const std::size_t end = b + 1 < starts.size() ? static_cast<std::size_t>(starts[b + 1]) : layers.size();
    const auto stage = static_cast<std::size_t>(double(stages) * before[end] / before.back());
    const bool must_cut =
        static_cast<std::size_t>(stages) - first.size() == starts.size() - b;  // a block each for the stages to come
    if (first.size() < static_cast<std::size_t>(stages) && (stage >= first.size() || must_cut))
      first.push_back(starts[b]);
  }
  return first;
}

}  // namespace mlsim::workloads
