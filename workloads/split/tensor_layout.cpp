#include "workloads/split/tensor_layout.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "workloads/model/operator.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

bool is_dense(LayerKind kind) { return kind == LayerKind::dense || kind == LayerKind::expert_dense; }

bool is_split_loss(LayerKind kind) { return operator_of(kind).operator_class == OperatorClass::loss; }

bool is_pointwise(LayerKind kind) { return operator_of(kind).operator_class == OperatorClass::pointwise; }

// Says whether the layer's part of the channels needs no other part.
bool works_by_channel(const Layer& layer, int ranks) {
  switch (layer.kind) {
    case LayerKind::attention:
    case LayerKind::self_attention:
    case LayerKind::state_space:
    case LayerKind::head_normalization:
    case LayerKind::rotary:
    case LayerKind::latent_rotary:
    case LayerKind::batch_normalization:
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::flatten:
    case LayerKind::concat:
    case LayerKind::select:
    case LayerKind::upsample: return true;
    case LayerKind::reshape: {  // keeps channels together, or each in parts
      const int from = layer.input.channels, to = layer.output.channels;
      return from % to == 0 || to % from == 0;
    }
    default:
      return is_pointwise(layer.kind) ||
             (is_split_loss(layer.kind) && layer.input.channels / ranks >= kLeastVocabulary);
  }
}

// Says whether the layer's part of the positions needs no other part.
bool works_by_token(LayerKind kind) {
  switch (kind) {
    case LayerKind::layer_normalization:
    case LayerKind::rms_normalization:
    case LayerKind::expert_dispatch:
    case LayerKind::expert_combine: return true;
    default: return is_pointwise(kind) || is_dense(kind) || is_split_loss(kind);
  }
}

// Returns how many inputs, the first ones, a layer that works by channel reads in parts: what all heads of latent
// attention share is there whole.
std::size_t parted_inputs(const Layer& layer) {
  return layer.kind == LayerKind::latent_rotary ? 2 : layer.inputs.size();
}

bool is_sequence(Shape shape) { return shape.height > 1 && shape.width == 1; }

class RoleFinder {
 public:
  RoleFinder(const Model& model, int ranks, bool whole_experts)
      : model_(model), ranks_(ranks), may_split_(model.layers.size()) {
    const auto largest = largest_tables();
    const auto gates = gate_layers();
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const Layer& layer = model.layers[i];
      if (is_dense(layer.kind)) may_split_[i] = !gates[i] && layer.output.channels * kNarrowing > layer.input.channels;
      if (layer.kind == LayerKind::expert_dense && whole_experts) may_split_[i] = false;
      if (layer.kind == LayerKind::embedding)
        may_split_[i] = layer.rows.front() / ranks >= kLeastVocabulary && largest[i];
    }
  }

  std::vector<TensorRole> find() {
    do {
      visited_.assign(model_.layers.size(), false);
      forbidden_ = false;
      walk();
      check_shares();
    } while (forbidden_);
    return roles_;
  }

 private:
  bool is_split(int layer) const {
    return layer >= 0 && (roles_[layer] == TensorRole::column || roles_[layer] == TensorRole::channels);
  }

  void walk() {
    roles_.clear();
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      const auto parted = layer.inputs.begin() + static_cast<std::ptrdiff_t>(parted_inputs(layer));
      for (auto shared = parted; shared != layer.inputs.end(); ++shared) {
        if (is_split(*shared)) forbid(*shared);
      }
      const auto split = std::count_if(layer.inputs.begin(), parted, [&](int input) { return is_split(input); });
      const bool all = split == parted - layer.inputs.begin();
      if (split == 0) {
        const TensorRole part = is_dense(layer.kind) ? TensorRole::column : TensorRole::table;
        roles_.push_back(may_split_[i] ? part : TensorRole::whole);
      } else if (all && is_dense(layer.kind)) {
        roles_.push_back(TensorRole::row);
      } else if (all && works_by_channel(layer, ranks_)) {
        roles_.push_back(TensorRole::channels);
      } else {
        roles_.push_back(TensorRole::whole);
        forbid_inputs(layer);
      }
    }
  }

  // Layers that share parameters split them alike: the rows of a table are the outputs of a tied layer.
  void check_shares() {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const int owner = model_.layers[i].shares;
      if (owner < 0) continue;
      const bool tied = model_.layers[i].kind != model_.layers[owner].kind;
      const TensorRole role = roles_[i], from = roles_[owner];
      if (role == from || (tied && role == TensorRole::column && from == TensorRole::table)) continue;
      forbid(static_cast<int>(i));
      forbid(owner);
    }
  }

  // Forbids any layer to split what reaches this one.
  void forbid(int layer) {
    if (layer < 0 || visited_[layer]) return;
    visited_[layer] = true;
    switch (roles_[layer]) {
      case TensorRole::column:
      case TensorRole::table:
        may_split_[layer] = false;
        forbidden_ = true;
        break;
      case TensorRole::row:
      case TensorRole::channels: forbid_inputs(model_.layers[layer]); break;
      default: break;
    }
  }

  void forbid_inputs(const Layer& layer) {
    for (const int input : layer.inputs) {
      if (is_split(input)) forbid(input);
    }
  }

  // largest[i]: table i is, among embeddings that reach the same additions, the first with the most rows.
  std::vector<bool> largest_tables() const {
    std::vector<bool> largest(model_.layers.size(), true);
    std::vector<int> table_of(model_.layers.size(), -1);  // the largest that this layer's sum holds
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      if (layer.kind == LayerKind::embedding) table_of[i] = static_cast<int>(i);
      if (layer.kind != LayerKind::add) continue;
      for (const int input : layer.inputs) {
        const int table = input >= 0 ? table_of[input] : -1;
        if (table < 0) continue;
        const int other = table_of[i];
        if (other < 0) {
          table_of[i] = table;
        } else if (other != table) {
          const auto rows = [&](int of_table) { return model_.layers[of_table].rows.front(); };
          const int more = rows(table) > rows(other) ? table : other;
          largest[more == table ? other : table] = false;
          table_of[i] = more;
        }
      }
    }
    return largest;
  }

  std::vector<bool> gate_layers() const {
    std::map<int, int> experts_by_input;
    for (const Layer& layer : model_.layers) {
      if (layer.kind == LayerKind::expert_dense) experts_by_input[layer.inputs.front()] = layer.experts;
    }
    std::set<int> routers;
    for (const Layer& layer : model_.layers) {
      if (layer.kind == LayerKind::expert_dispatch) routers.insert(layer.inputs.back());
    }
    std::vector<bool> gates;
    for (const Layer& layer : model_.layers) {
      if (routers.contains(static_cast<int>(gates.size()))) {
        gates.push_back(true);
        continue;
      }
      const auto mixture = experts_by_input.find(layer.inputs.front());
      gates.push_back(layer.kind == LayerKind::dense && mixture != experts_by_input.end() &&
                      mixture->second == layer.output.channels);
    }
    return gates;
  }

  const Model& model_;
  int ranks_;
  std::vector<bool> may_split_;  // by layer
  std::vector<TensorRole> roles_;
  std::vector<bool> visited_;
  bool forbidden_ = false;
};

Layout output_layout(TensorRole role) {
  switch (role) {
    case TensorRole::column:
    case TensorRole::channels: return Layout::channels;
    case TensorRole::tokens: return Layout::tokens;
    default: return Layout::whole;
  }
}

void split_tokens(const Model& model, TensorLayout& layout) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    TensorRole& role = layout.roles[i];
    if (!is_sequence(layer.output)) continue;
    const bool on_tokens = std::all_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      return input >= 0 && layout.outputs[input] == Layout::tokens;
    });
    const bool by_token = layer.kind == LayerKind::embedding || (works_by_token(layer.kind) && on_tokens);
    if (role == TensorRole::whole && by_token) role = TensorRole::tokens;
    if (role == TensorRole::row || role == TensorRole::table || role == TensorRole::tokens)
      layout.outputs[i] = Layout::tokens;
  }
}

// vocabulary[i]: only losses split the channels any further behind column-parallel layer i.
std::vector<bool> vocabulary_layers(const Model& model, const std::vector<TensorRole>& roles) {
  std::vector<bool> vocabulary(model.layers.size());
  for (std::size_t i = model.layers.size(); i-- > 0;) {
    const Layer& layer = model.layers[i];
    if (roles[i] != TensorRole::channels || !(is_split_loss(layer.kind) || vocabulary[i])) continue;
    vocabulary[i] = true;
    for (const int input : layer.inputs) {
      if (input >= 0) vocabulary[input] = true;
    }
  }
  return vocabulary;
}

// Marks what the layer reads down to the column-parallel layers: of each tensor this rank has `channels`.
void mark_packed(const Model& model, TensorLayout& layout, const Layer& reader, int channels) {
  for (const int input : reader.inputs) {
    if (input < 0 || layout.outputs[input] != Layout::channels) continue;
    layout.packed[input] = channels;
    if (layout.roles[input] == TensorRole::channels) mark_packed(model, layout, model.layers[input], channels);
  }
}

}  // namespace

Layout input_layout(TensorRole role) {
  switch (role) {
    case TensorRole::row:
    case TensorRole::channels: return Layout::channels;
    case TensorRole::tokens: return Layout::tokens;
    default: return Layout::whole;
  }
}

TensorLayout find_tensor_layout(const Model& model, int ranks, bool sequence, bool whole_experts) {
  TensorLayout layout;
  layout.roles = RoleFinder(model, ranks, whole_experts).find();
  for (const TensorRole role : layout.roles) layout.outputs.push_back(output_layout(role));
  layout.vocabulary = vocabulary_layers(model, layout.roles);
  layout.packed.assign(model.layers.size(), 0);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    if (layer.kind != LayerKind::self_attention || layout.roles[i] != TensorRole::channels ||
        layer.kv_heads % ranks == 0)
      continue;
    const auto channels = packed_channels(std::max(1, layer.heads / ranks), 1, layer.head_size, layer.value_size);
    mark_packed(model, layout, layer, static_cast<int>(channels));
  }
  if (sequence) split_tokens(model, layout);
  return layout;
}

}  // namespace mlsim::workloads
