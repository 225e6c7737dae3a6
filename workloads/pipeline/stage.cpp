#include "workloads/pipeline/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
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
    part.copies.push_back(whole_.copies[number]);
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

// A place says which part of a step graph a vertex belongs to, and its number there.
enum class Group { none, backward, gradient, update };
struct Place {
  Group group = Group::none;
  std::size_t number = 0;  // backward: kernels up to there
};

class Gathering {
 public:
  Gathering(const StepGraph& graph, int micro_batches, bool weights_apart)
      : graph_(graph), weights_apart_(weights_apart), place_(graph.size()) {
    // All micro-batches but the last stand before it, in as many nodes.
    std::size_t passes = 0;
    for (StepVertex v = 0; v < graph.size(); ++v) passes += is_pass(graph[v]) ? 1 : 0;
    skipped_ = micro_batches > 1 ? passes / 2 : 0;
  }

  StageWork gather() {
    for (StepVertex v = 0; v < graph_.size(); ++v) {
      const StepNode& node = graph_[v];
      if (is_pass(node)) {
        if (skipped_ > 0) {
          --skipped_;
        } else {
          add_pass(v);
        }
      } else if (node.part == StepPart::optimizer || !work_.update.empty()) {
        add_update(v);
      } else if (node.kind == NodeKind::collective) {
        add_gradient(v);
      }
    }
    work_.forward = std::make_shared<const Kernels>(std::move(forward_));
    work_.backward = std::make_shared<const Kernels>(std::move(backward_));
    if (weights_apart_) work_.weights = std::make_shared<const Kernels>(std::move(weights_));
    work_.forward_exchanges = merged(forward_exchanges_, "forward");
    work_.backward_exchanges = merged(backward_exchanges_, "backward");
    return std::move(work_);
  }

 private:
  struct Exchanges {
    Bytes total;
    int count = 0;
  };
  using ExchangesOfKind = std::map<std::tuple<CollectiveKind, AxisSet, bool, int>, Exchanges>;

  void add_pass(StepVertex v) {
    const StepNode& node = graph_[v];
    const bool back = node.part == StepPart::backward;
    if (node.kind == NodeKind::host_work) {
      work_.host_time += node.host_time;
    } else if (node.kind == NodeKind::collective && node.stream == Stream::communication) {
      work_.gathers.push_back(node);
    } else if (node.kind == NodeKind::collective) {
      auto& exchanges =
          (back ? backward_exchanges_ : forward_exchanges_)[{node.collective, node.axes, node.beside, node.copies}];
      exchanges.total += node.payload;
      ++exchanges.count;
    } else {
      const bool weight = weights_apart_ && node.weight_gradient;
      (weight ? weights_ : back ? backward_ : forward_).push_back(*node.work);
    }
    if (back) place_[v] = {Group::backward, weights_apart_ ? weights_.size() : backward_.size()};
  }

  void add_gradient(StepVertex v) {
    StageWork::GradientNode gradient{graph_[v], 0};
    for (const StepVertex u : graph_.predecessors(v)) {
      const Place& before = place_[u];
      if (before.group == Group::backward) gradient.kernels = std::max(gradient.kernels, before.number);
    }
    place_[v] = {Group::gradient, work_.gradients.size()};
    work_.gradients.push_back(std::move(gradient));
  }

  void add_update(StepVertex v) {
    StageWork::UpdateNode update{graph_[v], {}, {}};
    for (const StepVertex u : graph_.predecessors(v)) {
      const Place& before = place_[u];
      if (before.group == Group::gradient) update.gradients.push_back(before.number);
      if (before.group == Group::update) update.updates.push_back(before.number);
    }
    place_[v] = {Group::update, work_.update.size()};
    work_.update.push_back(std::move(update));
  }

  static std::vector<StepNode> merged(const ExchangesOfKind& all, const char* pass) {
    std::vector<StepNode> nodes;
    for (const auto& [key, exchanges] : all) {
      StepNode& node = nodes.emplace_back();
      std::tie(node.collective, node.axes, node.beside, node.copies) = key;
      node.kind = NodeKind::collective;
      node.stream = Stream::exchange;
      node.name = fmt::format("{} {}", name(node.collective), pass);
      node.payload = exchanges.total / double(exchanges.count);
      node.repeats = exchanges.count;
    }
    return nodes;
  }

  const StepGraph& graph_;
  bool weights_apart_;
  std::vector<Place> place_;  // by vertex
  std::size_t skipped_ = 0;   // nodes of passes still to skip
  Kernels forward_, backward_, weights_;
  ExchangesOfKind forward_exchanges_, backward_exchanges_;
  StageWork work_;
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
    const auto count = [&](BoundaryElements::Count& of) {
      of.all += elements;
      if (whole.copies[i].has(Axis::tensor)) of.copied += elements;
    };
    for (int c = chunk[i] + 1; c <= last[i]; ++c) {
      count(boundaries[c].forward);
      if (trained[i]) count(boundaries[c].backward);
    }
  }
  return boundaries;
}

StageWork stage_work(const ShardedModel& part, const StepPlan& plan, bool weights_apart) {
  return Gathering(lower(part, plan), plan.micro_batches, weights_apart).gather();
}

}  // namespace mlsim::workloads
