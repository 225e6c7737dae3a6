#include "workloads/model/layer_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/model/block_tree.hpp"
#include "workloads/model/layer_names.hpp"
#include "workloads/model/operator.hpp"
#include "workloads/model/shared_parameters.hpp"

namespace mlsim::workloads {
namespace {

// GPipe's Transformer of 1663 blocks has 23,287 layers (arXiv:1811.06965, table 1).
constexpr std::size_t kMostLayers = 100'000;

bool is_loss(LayerKind kind) { return operator_of(kind).operator_class == OperatorClass::loss; }

class LayerList {
 public:
  LayerList(Model& model) : model_(model), names_(model), input_read_(model.inputs.size()) {}

  void unroll(BlockTree& tree, const NameScope& scope) {
    int previous = scope.block_input;
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
      NameScope here = scope;
      here.siblings = &tree.items;
      here.self = i;
      BlockItem& item = tree.items[i];
      if (item.block) {
        previous = unroll_block(*item.block, here, previous);
      } else {
        item.layer->set_first(scope.first);
        if (item.layer->present()) append_layer(*item.layer, here);
      }
    }
  }

  /// A result that nothing reads is a slip, except a loss and work on the host.
  void check_all_read(const Document& list) const {
    if (std::none_of(model_.layers.begin(), model_.layers.end(), [](const auto& l) { return is_loss(l.kind); })) {
      throw list.error(fmt::format(
          "the model has no loss; it needs a softmax_loss, a sigmoid_loss or a regression_loss (its last layer is {})",
          model_.layers.back().name));
    }
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      if (!read_[i] && !is_loss(layer.kind) && layer.kind != LayerKind::host_work) {
        throw InputError(places_[i].place(), fmt::format("no layer reads {}", layer.name));
      }
    }
    for (std::size_t i = 0; i < input_read_.size(); ++i) {
      if (!input_read_[i]) throw list.error(fmt::format("no layer reads the input {}", model_.inputs[i].name));
    }
  }

 private:
  // Returns what entered the last repetition; `previous` is what entered the block before.
  int unroll_block(BlockTree& block, const NameScope& outer, int previous) {
    for (int i = 0; i < block.repeat; ++i) {
      NameScope scope;
      scope.outer = &outer;
      scope.prefix =
          block.repeated ? fmt::format("{}{}.block{}.", outer.prefix, block.name, i) : outer.prefix + block.name + ".";
      scope.in_block = true;
      scope.block_input = last();
      scope.previous_input = previous;
      scope.first = i == 0;
      scope.number = i;
      scope.frozen = block.frozen.value_or(outer.frozen);
      unroll(block, scope);
      if (last() == scope.block_input) {
        throw block.document.error(fmt::format("repetition {} of {} has no layers", i, block.name));
      }
      previous = scope.block_input;
    }
    names_.add(outer.prefix + block.name, last(), block.document);
    return previous;
  }

  void append_layer(const LayerEntry& entry, const NameScope& scope) {
    if (model_.layers.size() >= kMostLayers) {
      throw entry.error(fmt::format("the model has more than {} layers", kMostLayers));
    }
    std::vector<int> inputs = input_layers(entry, scope);
    std::vector<Shape> others;
    for (std::size_t i = 1; i < inputs.size(); ++i) others.push_back(shape(inputs[i]));
    Layer layer = shaped_layer(entry, shape(inputs.front()), std::move(others));
    layer.name = scope.prefix + entry.name();
    layer.inputs = std::move(inputs);
    layer.trainable = !entry.frozen().value_or(scope.frozen);
    if (const auto owner = entry.option("shares")) {
      share_parameters(layer, model_, names_.layer(*owner, scope), *owner);
    }
    names_.add(layer.name, static_cast<int>(model_.layers.size()), entry.document());
    mark_read(layer, entry);
    model_.layers.push_back(std::move(layer));
    read_.push_back(false);
    places_.push_back(entry.document());
  }

  std::vector<int> input_layers(const LayerEntry& entry, const NameScope& scope) const {
    const auto input = entry.option("input");
    std::vector<int> inputs{input ? names_.source(*input, scope) : last()};
    for (const auto key : operator_of(entry.kind()).inputs) {
      const Document value = entry.required(std::string(key));
      if (entry.kind() == LayerKind::concat && value.is_list()) {
        for (const auto& item : value.items()) inputs.push_back(names_.source(item, scope));
      } else {
        inputs.push_back(names_.source(value, scope));
      }
    }
    return inputs;
  }

  void mark_read(const Layer& layer, const LayerEntry& entry) {
    for (const int input : layer.inputs) {
      if (input < 0) {
        input_read_[-1 - input] = true;
        continue;
      }
      const Layer& from = model_.layers[input];
      if (is_loss(from.kind) && layer.kind != LayerKind::host_work) {
        throw entry.error(
            fmt::format("{} reads the loss {}, which ends its branch; name another input", entry.name(), from.name));
      }
      read_[input] = true;
    }
  }

  int last() const { return static_cast<int>(model_.layers.size()) - 1; }
  Shape shape(int source) const { return source < 0 ? model_.inputs[-1 - source].shape : model_.layers[source].output; }

  Model& model_;
  LayerNames names_;
  std::vector<bool> read_, input_read_;
  std::vector<Document> places_;
};

}  // namespace

void read_layers(const Document& list, const FileParameters& parameters, Model& model) {
  BlockTree tree = read_block_tree(list, parameters);
  LayerList layers(model);
  layers.unroll(tree, NameScope{});
  layers.check_all_read(list);
  if (model.trainable_parameters() == 0) throw list.error("the model has no parameters to train");
}

}  // namespace mlsim::workloads
