#include "workloads/split/tensor_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/text/errors.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/operator.hpp"
#include "workloads/split/shared_count.hpp"
#include "workloads/split/tensor_layout.hpp"

namespace mlsim::workloads {
namespace {

std::int64_t part_of(std::int64_t count, int ranks) { return (count + ranks - 1) / ranks; }

// Returns the largest part of a tensor that a rank has.
Shape part_of(Shape shape, Layout layout, int ranks) {
  if (layout == Layout::channels) shape.channels = static_cast<int>(part_of(shape.channels, ranks));
  if (layout == Layout::tokens) shape.height = static_cast<int>(part_of(shape.height, ranks));
  return shape;
}

bool is_split(const TensorLayout& layout) {
  return std::any_of(layout.roles.begin(), layout.roles.end(),
                     [](TensorRole role) { return role == TensorRole::column || role == TensorRole::table; });
}

// Returns the counts of which all ranks have equal parts.
std::vector<SharedCount> shared_counts(const Model& model, const TensorLayout& layout, int ranks) {
  std::vector<SharedCount> counts;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (layer.mixes_by_head() && layout.roles[i] == TensorRole::channels) {
      counts.push_back({layer.name, "heads", layer.heads});
      if (layer.kind == LayerKind::self_attention && ranks % layer.kv_heads != 0)
        counts.push_back({layer.name, "heads of keys and values", layer.kv_heads});
      if (layer.kind == LayerKind::state_space) counts.push_back({layer.name, "heads' groups", layer.kv_heads});
    }
    if (layout.outputs[i] == Layout::channels && !layout.vocabulary[i] && layout.packed[i] == 0)
      counts.push_back({layer.name, "outputs", layer.output.channels});
    if (layout.outputs[i] == Layout::tokens) counts.push_back({layer.name, "tokens", layer.output.height});
  }
  // People choose heads, so these come first.
  std::stable_partition(counts.begin(), counts.end(),
                        [](const SharedCount& each) { return each.what.starts_with("heads"); });
  return counts;
}

// TensorExchanges adds the exchanges of a tensor: behind what makes it and before the backward pass of that.
class TensorExchanges {
 public:
  TensorExchanges(const ShardedModel& sharded, const TensorLayout& layout, bool overlapped)
      : model_(sharded.model),
        layout_(layout),
        in_backward_(layers_in_backward(sharded.model, sharded.inputs_trained)),
        inputs_trained_(sharded.inputs_trained),
        overlapped_(overlapped),
        first_column_(model_.layers.size(), -1),
        read_by_column_(model_.layers.size()),
        read_whole_(model_.layers.size()) {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      for (const int input : model_.layers[i].inputs) {
        if (input < 0) continue;
        if (layout.roles[i] == TensorRole::column) {
          read_by_column_[input] = true;
          if (first_column_[input] < 0) first_column_[input] = static_cast<int>(i);
        }
        if (input_layout(layout.roles[i]) == Layout::whole) read_whole_[input] = true;
      }
    }
  }

  std::vector<LayerExchange> all() {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      add_forward(static_cast<int>(i));
      add_backward(static_cast<int>(i));
    }
    if (inputs_trained_) add_model_inputs();
    return std::move(exchanges_);
  }

 private:
  const Layer& layer(int i) const { return model_.layers[i]; }
  bool on_tokens(int i) const { return layout_.outputs[i] == Layout::tokens; }
  // Says whether the layer's outputs are sums over ranks.
  bool is_partial(int i) const { return layout_.roles[i] == TensorRole::row || layout_.roles[i] == TensorRole::table; }

  void add(int i, Moment moment, CollectiveKind kind, Shape shape, const char* what) {
    exchanges_.push_back({i, moment, kind, Axis::tensor, double(shape.elements()), Bytes(0),
                          fmt::format("{} of {}", what, layer(i).name)});
  }

  // Adds an exchange of what layer i makes that runs beside the product that reads it, or as `moment` says where none
  // does.
  void add_for_reader(int i, Moment moment, Moment of_reader, CollectiveKind kind, const char* what) {
    const Shape whole = layer(i).output;
    if (!overlapped_ || first_column_[i] < 0) return add(i, moment, kind, whole, what);
    add(first_column_[i], of_reader, kind, whole, what);
    exchanges_.back().beside = true;
  }

  void add_beside(int i, Moment moment, CollectiveKind kind, const char* what) {
    add(i, moment, kind, layer(i).output, what);
    exchanges_.back().beside = overlapped_ && layer(i).kind == LayerKind::dense;
  }

  void add_forward(int i) {
    if (is_partial(i))
      add_beside(i, Moment::after_forward, on_tokens(i) ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                 "sums");
    if (on_tokens(i) && read_whole_[i])
      add_for_reader(i, Moment::after_forward, Moment::before_forward, CollectiveKind::all_gather, "tokens");
    const bool entropy = layer(i).kind == LayerKind::softmax_loss || layer(i).kind == LayerKind::cross_entropy;
    const bool loss = entropy && layout_.roles[i] == TensorRole::channels;
    if (!loss) return;
    // Each position exchanges an fp32 number of each (Megatron-LM, core/tensor_parallel/cross_entropy.py).
    for (const char* what : {"maxima", "labels' logits", "sums of exponentials"}) {
      add(i, Moment::after_forward, CollectiveKind::all_reduce, Shape{}, what);
      exchanges_.back().bytes_per_sample = Bytes(4.0 * double(layer(i).input.positions()));
    }
  }

  void add_backward(int i) {
    if (!in_backward_[i]) return;
    if (read_by_column_[i])
      add_for_reader(i, Moment::before_backward, Moment::after_backward,
                     on_tokens(i) ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, "gradients");
    if (is_partial(i) && on_tokens(i))
      add_beside(i, Moment::before_backward, CollectiveKind::all_gather, "gradients of tokens");
  }

  // Exchanges each input once, behind the column-parallel layer whose backward pass is last.
  void add_model_inputs() {
    std::map<int, int> first;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const int input = model_.layers[i].inputs.front();
      if (layout_.roles[i] == TensorRole::column && input < 0) first.try_emplace(input, static_cast<int>(i));
    }
    for (const auto& [input, i] : first)
      add(i, Moment::after_backward, CollectiveKind::all_reduce, layer(i).input, "input gradients");
  }

  const Model& model_;
  const TensorLayout& layout_;
  std::vector<bool> in_backward_;
  bool inputs_trained_, overlapped_;
  std::vector<int> first_column_;                  // by layer: the first column-parallel one that reads it, or -1
  std::vector<bool> read_by_column_, read_whole_;  // by layer
  std::vector<LayerExchange> exchanges_;
};

void take_part(Layer& layer, int i, const TensorLayout& layout, int ranks) {
  const TensorRole role = layout.roles[i];
  const auto part = [&](Shape shape, int producer, Layout as) {
    const int packed = as == Layout::channels && producer >= 0 ? layout.packed[producer] : 0;
    shape = part_of(shape, as, ranks);
    if (packed > 0) shape.channels = packed;
    return shape;
  };
  layer.input = part(layer.input, layer.inputs.front(), input_layout(role));
  for (std::size_t k = 0; k < layer.others.size(); ++k) {
    const bool shared = layer.kind == LayerKind::latent_rotary && k == 1;  // by all heads
    layer.others[k] = part(layer.others[k], layer.inputs[k + 1], shared ? Layout::whole : input_layout(role));
  }
  layer.output = part(layer.output, i, layout.outputs[i]);
  if (role == TensorRole::channels) {
    if (layer.heads >= ranks) layer.heads /= ranks;
    layer.kv_heads = std::max(1, layer.kv_heads / ranks);
  }
  if (role == TensorRole::table) layer.rows.front() = part_of(layer.rows.front(), ranks);
}

void add_notes(const Model& model, const TensorLayout& layout, int ranks, std::vector<std::string>& notes) {
  std::map<std::string_view, int> whole;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const Operator& op = operator_of(layer.kind);
    const bool product =
        op.operator_class == OperatorClass::matrix_product || op.operator_class == OperatorClass::look_up;
    if (product && layout.roles[i] == TensorRole::whole) ++whole[op.name];
    if (layout.roles[i] == TensorRole::table && layer.shares < 0 && layer.rows.front() % ranks != 0)
      notes.push_back(fmt::format("tensor: {} ranks share the {} rows of {} as evenly as may be; this rank has {}",
                                  ranks, layer.rows.front(), layer.name, part_of(layer.rows.front(), ranks)));
  }
  std::string list;
  for (const auto& [kind, layers] : whole) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", layers, kind);
  if (!list.empty()) notes.push_back(fmt::format("tensor: layers that every rank computes whole: {}", list));
}

}  // namespace

ShardedModel split_tensor(ShardedModel sharded, int ranks, bool sequence, bool overlapped, bool whole_experts) {
  check_axis(Axis::tensor, ranks);
  if (ranks == 1) return sharded;
  Model& model = sharded.model;
  const TensorLayout layout = find_tensor_layout(model, ranks, sequence, whole_experts);
  if (!is_split(layout)) {
    throw Infeasible(
        fmt::format("tensor={} splits no layer of {}: it needs pairs of dense layers, attention or tables of at least "
                    "{} rows a rank",
                    ranks, model.name, kLeastVocabulary));
  }
  check_shared(Axis::tensor, ranks, shared_counts(model, layout, ranks), [&](int other) {
    const TensorLayout its = find_tensor_layout(model, other, sequence, whole_experts);
    const auto counts = shared_counts(model, its, other);
    return is_split(its) &&
           std::all_of(counts.begin(), counts.end(), [&](const SharedCount& each) { return each.count % other == 0; });
  });
  add_notes(model, layout, ranks, sharded.notes);
  std::vector<LayerExchange> exchanges = TensorExchanges(sharded, layout, overlapped).all();
  for (const LayerExchange& each : exchanges) {
    if (each.moment == Moment::after_forward && each.elements_per_sample > 0) model.layers[each.layer].exchanged = true;
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    take_part(model.layers[i], static_cast<int>(i), layout, ranks);
    if (layout.outputs[i] == Layout::whole) sharded.copies[i] = sharded.copies[i] | Axis::tensor;
    // Every rank has the scales of normalised heads, and the sums of its own heads' gradients.
    const bool heads = model.layers[i].kind == LayerKind::head_normalization;
    if (whole_experts && model.layers[i].kind == LayerKind::expert_dense) continue;  // no other tensor rank has these
    if (layout.roles[i] == TensorRole::tokens || (heads && layout.roles[i] == TensorRole::channels))
      sharded.gradient_axes[i] = sharded.gradient_axes[i] | Axis::tensor;
  }
  auto& all = sharded.exchanges;
  all.insert(all.end(), exchanges.begin(), exchanges.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.layer < b.layer; });
  return sharded;
}

}  // namespace mlsim::workloads
