#include "workloads/pipeline/stage.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "workloads/lowering/kernel_group.hpp"

namespace mlsim::workloads {
namespace {

// chunk[i] is layer i's.
std::vector<int> chunk_of_layer(const Model& model, const std::vector<int>& first_layers) {
  if (first_layers.empty() || first_layers.front() != 0 ||
      std::adjacent_find(first_layers.begin(), first_layers.end(), std::greater_equal<>()) != first_layers.end() ||
      static_cast<std::size_t>(first_layers.back()) >= model.layers.size()) {
    throw std::logic_error("pipeline: stages that do not ascend from the first layer");
  }
  std::vector<int> chunk;
  for (std::size_t i = 0, c = 0; i < model.layers.size(); ++i) {
    if (c + 1 < first_layers.size() && static_cast<int>(i) == first_layers[c + 1]) ++c;
    chunk.push_back(static_cast<int>(c));
  }
  return chunk;
}

// last[i]: the last chunk that reads layer i, or its own.
std::vector<int> last_chunk_of_layer(const Model& model, const std::vector<int>& chunk) {
  std::vector<int> last = chunk;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input >= 0) last[input] = std::max(last[input], chunk[i]);
    }
  }
  return last;
}

class Cutter {
 public:
  Cutter(const ShardedModel& whole, const std::vector<int>& first_layers)
      : whole_(whole),
        first_layers_(first_layers),
        chunk_(chunk_of_layer(whole.model, first_layers)),
        last_chunk_(last_chunk_of_layer(whole.model, chunk_)),
        trained_(layers_in_backward(whole.model, whole.inputs_trained)) {
    for (const auto& tied : tied_parameters(whole, first_layers)) tied_.insert(tied.owner);
  }

  std::vector<ShardedModel> cut() {
    Model empty = whole_.model;
    empty.layers.clear();
    parts_.assign(first_layers_.size(), ShardedModel(empty));
    given_.resize(parts_.size());
    copies_.resize(parts_.size());
    parts_.front().inputs_trained = whole_.inputs_trained;
    for (std::size_t i = 0; i < chunk_.size(); ++i) add(static_cast<int>(i));
    for (const auto& exchange : whole_.exchanges) {
      auto& moved = parts_[chunk_[exchange.layer]].exchanges.emplace_back(exchange);
      moved.layer = place(exchange.layer);
    }
    for (const int output : whole_.outputs) parts_[chunk_[output]].outputs.push_back(place(output));
    return std::move(parts_);
  }

 private:
  int place(int layer) const { return layer - first_layers_[chunk_[layer]]; }

  void add(int number) {
    const int c = chunk_[number];
    ShardedModel& part = parts_[c];
    Layer layer = whole_.model.layers[number];
    for (int& input : layer.inputs) input = renumbered(input, c);
    share(layer, number, c);
    if (last_chunk_[number] > chunk_[number]) {
      layer.exchanged = true;
      if (trained_[number]) part.outputs.push_back(place(number));
    }
    part.model.layers.push_back(std::move(layer));
    part.gradient_axes.push_back(whole_.gradient_axes[number]);
    part.load.push_back(whole_.load[number]);
  }

  // Where a part finds an input of one of its layers.
  int renumbered(int input, int c) {
    if (input < 0) return input;
    if (chunk_[input] == c) return place(input);
    ShardedModel& part = parts_[c];
    const auto [known, fresh] = given_[c].try_emplace(input, -1 - static_cast<int>(part.model.inputs.size()));
    if (fresh) {
      const Layer& maker = whole_.model.layers[input];
      part.model.inputs.push_back({maker.name, maker.output});
      part.inputs_trained = part.inputs_trained || trained_[input];
    }
    return known->second;
  }

  void share(Layer& layer, int number, int c) {
    const int owner = layer.shares >= 0 ? layer.shares : number;
    if (tied_.contains(owner)) layer.sparse = false;
    if (layer.shares < 0) return;
    if (chunk_[owner] == c) {
      layer.shares = place(owner);
      return;
    }
    const auto [copy, fresh] = copies_[c].try_emplace(owner, place(number));
    layer.shares = fresh ? -1 : copy->second;
    if (fresh) layer.owns_bias = false;
  }

  const ShardedModel& whole_;
  const std::vector<int>& first_layers_;
  std::vector<int> chunk_, last_chunk_;     // by layer
  std::vector<bool> trained_;               // by layer
  std::set<int> tied_;                      // owners of parameters that several chunks hold
  std::vector<ShardedModel> parts_;         // by chunk
  std::vector<std::map<int, int>> given_;   // by chunk: the number there of each tensor of earlier chunks
  std::vector<std::map<int, int>> copies_;  // by chunk: the layer there that owns a copy of what a layer outside owns
};

}  // namespace

std::vector<ShardedModel> stage_parts(const ShardedModel& whole, const std::vector<int>& first_layers) {
  return Cutter(whole, first_layers).cut();
}

std::vector<TiedParameters> tied_parameters(const ShardedModel& whole, const std::vector<int>& first_layers) {
  const auto& layers = whole.model.layers;
  const auto chunk = chunk_of_layer(whole.model, first_layers);
  std::map<int, std::set<int>> holders;  // by owner
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].shares < 0 || !layers[i].trainable) continue;
    holders[layers[i].shares].insert({chunk[layers[i].shares], chunk[i]});
  }
  std::vector<TiedParameters> tied;
  for (const auto& [owner, chunks] : holders) {
    if (chunks.size() > 1) tied.push_back({owner, {chunks.begin(), chunks.end()}, layers[owner].parameters()});
  }
  return tied;
}

std::vector<BoundaryElements> boundary_elements(const ShardedModel& whole, const std::vector<int>& first_layers) {
  const auto chunk = chunk_of_layer(whole.model, first_layers);
  const auto last = last_chunk_of_layer(whole.model, chunk);
  const auto trained = layers_in_backward(whole.model, whole.inputs_trained);
  std::vector<BoundaryElements> boundaries(first_layers.size());
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const double elements = double(whole.model.layers[i].output.elements());
    for (int c = chunk[i] + 1; c <= last[i]; ++c) {
      boundaries[c].forward += elements;
      if (trained[i]) boundaries[c].backward += elements;
    }
  }
  return boundaries;
}

}  // namespace mlsim::workloads
