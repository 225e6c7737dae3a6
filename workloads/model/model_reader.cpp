#include "workloads/model/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "workloads/model/layer_entry.hpp"
#include "workloads/model/layer_names.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

using Layouts = std::set<std::pair<std::string, std::int64_t>>;

Layouts read_layouts(const std::vector<Document>& files, const FileParameters& parameters) {
  const auto with = std::find_if(files.begin(), files.end(), [](const Document& file) { return file.has("layouts"); });
  if (with == files.end()) return {};
  std::vector<std::string> known;
  for (const auto& entry : parameters.values()) known.push_back(entry.first);
  Layouts layouts;
  for (const auto& [name, values] : with->at("layouts").entries()) {
    if (!parameters.values().contains(name)) throw values.error(unknown_word("parameter", name, known));
    for (const Document& value : values.items())
      layouts.emplace(name, parameters.value(value, 0, std::numeric_limits<std::int64_t>::max()));
  }
  return layouts;
}

// Returns the parameters that differ, with the published network's values: "layers" -> 24. The first of `files` (the
// model's own, then those that it is like) that names a benchmark says what is published; values under the first
// `layouts` are the same network laid out otherwise: a padded vocabulary, sequences without padding. The map is empty
// where no file names a benchmark. Throws InputError for an unknown parameter among the layouts.
std::map<std::string, std::int64_t> changed_network(const std::vector<Document>& files,
                                                    const FileParameters& parameters) {
  const Layouts layouts = read_layouts(files, parameters);
  const auto of = std::find_if(files.begin(), files.end(), [](const Document& file) { return file.has("benchmark"); });
  if (of == files.end()) return {};
  const FileParameters published({of, files.end()}, {}, "");
  std::map<std::string, std::int64_t> changed;
  for (const auto& [name, value] : parameters.values()) {
    const std::int64_t its = published.values().at(name);
    if (value != its && !layouts.contains({name, value})) changed.emplace(name, its);
  }
  return changed;
}

bool is_tied_output(const Layer& layer, const Layer& from) {
  return layer.kind == LayerKind::dense && from.kind == LayerKind::embedding;
}

void check_fit(const Layer& layer, const Layer& from, const Document& place) {
  if (is_tied_output(layer, from)) {
    if (from.rows.front() != layer.output.channels || from.output.channels != layer.input.channels) {
      throw place.error(fmt::format("{} has a weight of {} x {} but the table of {} has {} rows of {}", layer.name,
                                    layer.output.channels, layer.input.channels, from.name, from.rows.front(),
                                    from.output.channels));
    }
    return;
  }
  if (layer.kind != from.kind) {
    throw place.error(fmt::format("{} is a {} and cannot share the parameters of {}, a {}", layer.name,
                                  operator_of(layer.kind).name, from.name, operator_of(from.kind).name));
  }
  if (layer.parameter_tensors() != from.parameter_tensors()) {
    throw place.error(fmt::format("{} has {} parameters and cannot share those of {}, {} in other tensors", layer.name,
                                  layer.parameters(), from.name, from.parameters()));
  }
}

// Lets `layer` use the parameters of layer `owner` of `model`: one of the same kind and sizes, or the embedding whose
// table (rows x width) is the weight of a dense layer (outputs x inputs; Press and Wolf, arXiv:1608.05859), which then
// owns its bias only. Throws at `place` where they do not fit.
void share_parameters(Layer& layer, const Model& model, int owner, const Document& place) {
  const Layer& from = model.layers[owner];
  if (from.shares >= 0) {
    throw place.error(fmt::format("{} has no parameters of its own; name {}, whose it shares", from.name,
                                  model.layers[from.shares].name));
  }
  check_fit(layer, from, place);
  if (layer.trainable != from.trainable) {
    throw place.error(fmt::format("of {} and {}, which share parameters, only one is frozen", layer.name, from.name));
  }
  layer.shares = owner;
  layer.owns_bias = layer.bias && is_tied_output(layer, from);
}

// GPipe's Transformer of 1663 blocks has 23,287 layers (arXiv:1811.06965, table 1).
constexpr std::size_t kMostLayers = 100'000;
// One layer has a hundredth at most, so that their sum leaves 64 bits in no step of it.
constexpr std::int64_t kMostModelMacs = 5'000'000'000'000'000'000;

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
        if (item.block->holds(scope.number))
          previous = unroll_block(*item.block, here, previous);
        else if (!item.name().empty())
          names_.add_left_out(here.prefix + item.name(), last(), item.block->document);
        continue;
      }
      item.layer->set_repetition(scope.number, scope.first);
      if (!item.layer->present()) continue;
      if (item.layer->holds())
        append_layer(*item.layer, here);
      else
        pass_by(*item.layer, here);
    }
  }

  // A result that nothing reads is a slip, except a loss and work on the host.
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
      scope.prefix = outer.prefix;
      if (!block.name.empty())
        scope.prefix += block.repeated ? fmt::format("{}.block{}.", block.name, i) : block.name + ".";
      scope.in_block = true;
      scope.block_input = last();
      scope.previous_input = previous;
      scope.first = i == 0;
      scope.number = block.repeated ? i : outer.number;
      scope.frozen = block.frozen.value_or(outer.frozen);
      unroll(block, scope);
      if (last() == scope.block_input) {
        throw block.document.error(block.name.empty()
                                       ? "the group has no layers"
                                       : fmt::format("repetition {} of {} has no layers", i, block.name));
      }
      previous = scope.block_input;
    }
    if (!block.name.empty()) names_.add(outer.prefix + block.name, last(), block.document);
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
    macs_ += layer.macs();
    if (macs_ > kMostModelMacs)
      throw entry.error(fmt::format("the model is absurdly large: more than {} multiply-accumulates", kMostModelMacs));
    model_.layers.push_back(std::move(layer));
    read_.push_back(false);
    places_.push_back(entry.document());
  }

  // Of a layer that the parameters leave out the name means what the layer would read.
  void pass_by(const LayerEntry& entry, const NameScope& scope) {
    const auto input = entry.option("input");
    names_.add_left_out(scope.prefix + entry.name(), input ? names_.source(*input, scope) : last(), entry.document());
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
  std::int64_t macs_ = 0;
  std::vector<bool> read_, input_read_;
  std::vector<Document> places_;
};

// Fills `model.layers`; `model.inputs` are set. Throws InputError with file, line and the nearest word.
void read_layers(const Document& list, const FileParameters& parameters, Model& model) {
  BlockTree tree = read_block_tree(list, parameters);
  LayerList layers(model);
  layers.unroll(tree, NameScope{});
  layers.check_all_read(list);
  if (model.trainable_parameters() == 0) throw list.error("the model has no parameters to train");
}

void check_keys(const Document& file) {
  std::vector<std::string> keys{"title",  "aliases",       "like",       "benchmark", "sort",
                                "target", "sample",        "parameters", "layouts",   "dataset",
                                "source", "sample_spread", "padding",    "pattern",   "training"};
  if (!file.has("like")) {
    keys.insert(keys.end(), {"family", "input", "inputs", "tokens", "parameter_aliases", "layers"});
  } else {
    for (const auto* key : {"family", "input", "inputs", "tokens", "parameter_aliases", "layers"}) {
      if (file.has(key)) {
        throw file.at(key).error("\"" + std::string(key) + "\" cannot stand beside \"like\": it comes from there");
      }
    }
  }
  file.allow_only(keys);
}

// Padding is that of the file's own samples: with a length that the name gives, nothing is known of it.
std::optional<Padding> padding_of(const Document& at, const FileParameters& parameters,
                                  const ParameterOverrides& overrides) {
  Padding padding = read_padding(at);
  std::vector<std::string> known;
  for (const auto& [name, value] : parameters.values()) known.push_back(name);
  for (const auto& [name, value] : padding.without) {
    if (!parameters.values().contains(name)) throw at.at("without").error(unknown_word("parameter", name, known));
    if (overrides.contains(name)) return std::nullopt;
  }
  return padding;
}

}  // namespace

Model read_model(const std::vector<Document>& files, const std::string& name, const ParameterOverrides& overrides,
                 const std::string& pattern) {
  for (const auto& file : files) check_keys(file);
  const FileParameters parameters(files, overrides, name, pattern);
  Model model = read_header(files, parameters);
  model.name = name;
  model.parameters_of_file = parameters.values();
  model.changed = changed_network(files, parameters);
  if (files.front().has("padding")) model.padding = padding_of(files.front().at("padding"), parameters, overrides);
  read_layers(files.back().at("layers"), parameters, model);
  parameters.check_all_used();
  return model;
}

}  // namespace mlsim::workloads
