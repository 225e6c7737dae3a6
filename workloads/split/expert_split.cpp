#include "workloads/split/expert_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text/errors.hpp"
#include "workloads/model/operator.hpp"
#include "workloads/split/shared_count.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kMostCapacity = 1000;

bool is_expert(const Layer& layer) { return layer.kind == LayerKind::expert_dense; }

// Experts do this to positions between their layers; an addition is where positions meet what went round the experts.
bool stays_with_experts(const Layer& layer) {
  return operator_of(layer.kind).operator_class == OperatorClass::pointwise && layer.kind != LayerKind::add;
}

// Mixtures say where positions come to their experts, where they leave, and which layers run there.
struct Mixtures {
  std::vector<int> first, last;  // expert layers; of several that read the same tensor the first alone
  std::vector<bool> inside;      // by layer
};

Mixtures find_mixtures(const Model& model) {
  const std::size_t count = model.layers.size();
  std::vector<bool> behind(count), before(count);  // reached from expert layers; expert layers are reached from it
  Mixtures mixtures;
  std::set<int> brought;
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = model.layers[i];
    const bool from = std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      return input >= 0 && (is_expert(model.layers[input]) || behind[input]);
    });
    behind[i] = from && stays_with_experts(layer);
    if (is_expert(layer) && !from && brought.insert(layer.inputs.front()).second)
      mixtures.first.push_back(static_cast<int>(i));
  }
  for (std::size_t i = count; i-- > 0;) {
    if (!is_expert(model.layers[i]) && !before[i]) continue;
    for (const int input : model.layers[i].inputs) {
      if (input >= 0 && (is_expert(model.layers[input]) || stays_with_experts(model.layers[input])))
        before[input] = true;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool expert = is_expert(model.layers[i]);
    if (expert && !before[i]) mixtures.last.push_back(static_cast<int>(i));
    mixtures.inside.push_back(expert || (behind[i] && before[i]));
  }
  return mixtures;
}

// Counts the experts of a position, which a layer before the experts may have copied so often.
int experts_of_position(const Model& model) {
  int most = 1;
  for (const Layer& layer : model.layers)
    most = std::max(most,
                    layer.kind == LayerKind::expert_dispatch ? layer.output.height / layer.input.height : layer.chosen);
  return most;
}

}  // namespace

ShardedModel split_experts(ShardedModel sharded, int ranks, double capacity, int tensor, bool overlapped,
                           ExpertDispatch dispatch) {
  check_axis(Axis::expert, ranks);
  if (!(capacity >= 1 && capacity <= kMostCapacity))
    throw InputError(fmt::format("a capacity of {} is not from 1 (an even routing) to {}", capacity, kMostCapacity));
  if (ranks == 1) return sharded;
  Model& model = sharded.model;
  const Mixtures mixtures = find_mixtures(model);
  if (mixtures.first.empty())
    throw Infeasible(fmt::format("expert={0}: {1} has no mixture of experts; leave out expert={0}", ranks, model.name));
  std::vector<SharedCount> counts;
  for (const Layer& layer : model.layers) {
    if (is_expert(layer)) counts.push_back({layer.name, "experts", layer.experts});
  }
  check_shared(Axis::expert, ranks, counts);

  const int copies = experts_of_position(model);
  const AxisSet axes = tensor > 1 ? Axis::expert | Axis::tensor : AxisSet(Axis::expert);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    if (mixtures.inside[i]) sharded.load[i] *= capacity;
    if (!is_expert(layer)) continue;
    layer.experts /= ranks;
    sharded.gradient_axes[i] = sharded.gradient_axes[i].without(Axis::expert);
  }
  const auto add = [&](int i, Moment moment, Shape shape, const char* what) {
    const Layer& layer = model.layers[i];
    sharded.exchanges.push_back({i, moment, CollectiveKind::all_to_all, axes,
                                 double(shape.elements()) * layer.chosen * capacity / tensor, Bytes(0),
                                 fmt::format("{} {}", what, layer.name)});
    sharded.exchanges.back().beside = overlapped;
    if (dispatch == ExpertDispatch::by_node) sharded.exchanges.back().copies = copies;
  };
  for (const int i : mixtures.first) {
    add(i, Moment::before_forward, model.layers[i].input, "positions to");
    add(i, Moment::after_backward, model.layers[i].input, "gradients back from");
  }
  for (const int i : mixtures.last) {
    model.layers[i].exchanged = true;
    add(i, Moment::after_forward, model.layers[i].output, "positions back from");
    add(i, Moment::before_backward, model.layers[i].output, "gradients to");
  }
  std::stable_sort(sharded.exchanges.begin(), sharded.exchanges.end(),
                   [](const auto& a, const auto& b) { return a.layer < b.layer; });
  return sharded;
}

}  // namespace mlsim::workloads
