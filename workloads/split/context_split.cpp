#include "workloads/split/context_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text/errors.hpp"
#include "workloads/split/shared_count.hpp"

namespace mlsim::workloads {
namespace {

// Elements of queries, of keys with values, and of the result of an attention layer.
struct AttentionElements {
  double queries, pairs, result;
};

AttentionElements elements_of(const Layer& layer) {
  const double result = double(layer.output.elements());
  if (layer.kind == LayerKind::attention)
    return {double(layer.input.elements()), double(layer.others[0].elements() + layer.others[1].elements()), result};
  const double positions = double(layer.input.positions());
  return {positions * layer.heads * layer.head_size, positions * layer.kv_heads * (layer.head_size + layer.value_size),
          result};
}

std::vector<SharedCount> shared_counts(const Model& model, ContextExchange exchange) {
  // One part of the tokens from each end.
  std::vector<SharedCount> counts{
      {model.inputs.front().name, "pairs of tokens", model.inputs.front().shape.height / 2}};
  if (exchange != ContextExchange::alltoall) return counts;
  for (const Layer& layer : model.layers)
    if (layer.scores_heads()) counts.push_back({layer.name, "heads", layer.heads});
  return counts;
}

// Divides what stands token by token; a shape of another height is of the whole sample.
void divide(Shape& shape, int tokens, int ranks) {
  if (shape.height >= tokens && shape.height % tokens == 0) shape.height /= ranks;
}

// An exchange of a layer: what moves, in elements per sample.
struct AttentionExchange {
  Moment moment;
  CollectiveKind kind;
  double elements;
  const char* what;
};

// Adds the exchanges of an attention layer whose shapes are whole.
void add_exchanges(ShardedModel& sharded, int layer, int ranks, ContextExchange exchange) {
  const Layer& each = sharded.model.layers[layer];
  const auto [queries, pairs, result] = elements_of(each);
  std::vector<AttentionExchange> all{
      {Moment::before_forward, CollectiveKind::all_gather, pairs, "keys and values of"},
      {Moment::before_backward, CollectiveKind::all_gather, pairs, "keys and values of"},
      {Moment::after_backward, CollectiveKind::reduce_scatter, pairs, "gradients of keys and values of"}};
  if (exchange == ContextExchange::alltoall) {
    const double operands = (queries + pairs) / ranks, own = result / ranks;
    all = {{Moment::before_forward, CollectiveKind::all_to_all, operands, "heads for tokens of"},
           {Moment::after_forward, CollectiveKind::all_to_all, own, "tokens for heads of"},
           {Moment::before_backward, CollectiveKind::all_to_all, own, "heads for tokens of"},
           {Moment::after_backward, CollectiveKind::all_to_all, operands, "tokens for heads of"}};
  }
  for (const AttentionExchange& part : all) {
    LayerExchange& added = sharded.exchanges.emplace_back();
    added.layer = layer;
    added.moment = part.moment;
    added.kind = part.kind;
    added.axes = Axis::context;
    added.elements_per_sample = part.elements;
    added.what = fmt::format("{} {}", part.what, each.name);
    added.beside = exchange == ContextExchange::ring;
  }
}

// Heads of keys and values that are fewer than ranks are on several of them.
void take_heads(Layer& layer, int ranks) {
  layer.heads /= ranks;
  layer.kv_heads = std::max(1, layer.kv_heads / ranks);
  layer.output.channels /= ranks;
  for (Shape& other : layer.others) other.channels /= ranks;
  layer.input.channels = layer.kind == LayerKind::attention
                             ? layer.input.channels / ranks
                             : layer.heads * layer.head_size + layer.kv_heads * (layer.head_size + layer.value_size);
}

}  // namespace

ShardedModel split_context(ShardedModel sharded, int ranks, ContextExchange exchange) {
  check_axis(Axis::context, ranks);
  if (ranks == 1) return sharded;
  Model& model = sharded.model;
  if (!is_decoder(model))
    throw Infeasible(
        fmt::format("context={0} divides the tokens of a language model, which {1} is not; leave out "
                    "context={0}",
                    ranks, model.name));
  for (const Layer& layer : model.layers) {
    if (layer.kind == LayerKind::state_space)
      throw Infeasible(
          fmt::format("context={0} divides the tokens, and {1} of {2} hands a state from each token to the next; leave "
                      "out context={0}",
                      ranks, layer.name, model.name));
  }
  check_shared(Axis::context, ranks, shared_counts(model, exchange));
  const int tokens = model.inputs.front().shape.height;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    Layer& layer = model.layers[i];
    if (layer.scores_heads()) add_exchanges(sharded, static_cast<int>(i), ranks, exchange);
    if (layer.scores_heads() && exchange == ContextExchange::alltoall) {
      take_heads(layer, ranks);
      continue;
    }
    divide(layer.input, tokens, ranks);
    divide(layer.output, tokens, ranks);
    if (layer.kind == LayerKind::self_attention) layer.contexts = ranks;
    if (layer.scores_heads()) continue;  // it attends to the keys of all ranks
    for (Shape& other : layer.others) divide(other, tokens, ranks);
  }
  for (ModelInput& input : model.inputs) divide(input.shape, tokens, ranks);
  std::stable_sort(sharded.exchanges.begin(), sharded.exchanges.end(),
                   [](const auto& a, const auto& b) { return a.layer < b.layer; });
  return sharded;
}

}  // namespace mlsim::workloads
