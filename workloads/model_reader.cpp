#include "workloads/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "workloads/layer_entry.hpp"

namespace mlsim {
namespace {

constexpr std::size_t kMostLayers = 10000;
constexpr int kDeepestBlock = 8;
constexpr int kLargestExtent = 65536;  // of the model's input

// One list of entries under way: the names in front, what came in, and which repetition this is.
struct Scope {
  std::string prefix;  // "stage1.block0."
  int block_input = -1;
  Repetition repetition;
  int number = 0;  // of the repetition, from 0
  int depth = 0;
};

class LayerList {
 public:
  explicit LayerList(Model& model) : model_(model) {}

  void read(const Document& list, const Scope& scope) {
    const auto entries = list.items();
    if (entries.empty()) throw list.error("the list of layers is empty");
    std::vector<std::string> names;
    for (const auto& entry : entries) names.push_back(entry_name(entry));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].has("block")) {
        read_block(entries[i], scope);
      } else {
        read_layer(entries[i], scope, {names, i});
      }
    }
  }

  /// A result that no layer reads is a slip, except the last one, the loss.
  void check_all_read(const Document& list) const {
    if (model_.layers.back().kind != LayerKind::softmax_loss) {
      throw list.error(fmt::format("the last layer must be a softmax_loss; it is {}", model_.layers.back().name));
    }
    for (std::size_t i = 0; i + 1 < model_.layers.size(); ++i) {
      if (!read_[i]) throw InputError(places_[i], fmt::format("no layer reads {}", model_.layers[i].name));
    }
  }

 private:
  // The layers of one list by name ("" for a block), and the one being read.
  struct Siblings {
    const std::vector<std::string>& names;
    std::size_t self;
  };

  static std::string entry_name(const Document& entry) { return entry.has("name") ? entry.at("name").text() : ""; }

  void read_block(const Document& block, const Scope& outer) {
    block.allow_only({"block", "repeat", "layers"});
    const std::string name = block.at("block").text();
    check_name(name, block.at("block"));
    const bool repeated = block.has("repeat");
    const int repeat = repeated ? block.at("repeat").count() : 1;
    if (outer.depth >= kDeepestBlock) throw block.error("blocks are nested too deep");
    for (int i = 0; i < repeat; ++i) {
      Scope scope;
      scope.prefix = repeated ? fmt::format("{}{}.block{}.", outer.prefix, name, i) : outer.prefix + name + ".";
      scope.block_input = last();
      scope.repetition = {true, i == 0};
      scope.number = i;
      scope.depth = outer.depth + 1;
      read(block.at("layers"), scope);
      if (last() == scope.block_input) throw block.error(fmt::format("repetition {} of {} has no layers", i, name));
    }
  }

  void read_layer(const Document& document, const Scope& scope, const Siblings& siblings) {
    const LayerEntry entry(document, scope.repetition);
    if (!entry.present()) return;
    const auto input = entry.option("input");
    std::vector<int> inputs{input ? reference(*input, scope, siblings) : last()};
    std::vector<Shape> others;
    if (entry.kind() == LayerKind::add) {
      const auto shortcut = entry.option("shortcut");
      inputs.push_back(reference(shortcut ? *shortcut : document.at("shortcut"), scope, siblings));
      others.push_back(shape(inputs.back()));
    }
    Layer layer = shaped_layer(entry, shape(inputs.front()), others);
    layer.name = scope.prefix + entry.name();
    layer.inputs = std::move(inputs);
    append(std::move(layer), document);
  }

  void append(Layer layer, const Document& document) {
    if (model_.layers.size() >= kMostLayers) {
      throw document.error(fmt::format("the model has more than {} layers", kMostLayers));
    }
    if (!by_name_.emplace(layer.name, static_cast<int>(model_.layers.size())).second) {
      throw document.error(fmt::format("the layer name \"{}\" stands twice", layer.name));
    }
    for (const int input : layer.inputs) {
      if (input >= 0) read_[static_cast<std::size_t>(input)] = true;
    }
    model_.layers.push_back(std::move(layer));
    read_.push_back(false);
    places_.push_back(document.place());
  }

  // The layer that a name means: of this repetition first, then of the blocks around it.
  int reference(const Document& word, const Scope& scope, const Siblings& siblings) const {
    const std::string name = word.text();
    if (name == "block_input") {
      if (!scope.repetition.in_block) throw word.error("\"block_input\" has a meaning only inside a block");
      return scope.block_input;
    }
    for (std::string prefix = scope.prefix;;) {
      if (const auto found = by_name_.find(prefix + name); found != by_name_.end()) return found->second;
      if (prefix.empty()) break;
      const auto dot = prefix.size() < 2 ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
      prefix = dot == std::string::npos ? "" : prefix.substr(0, dot + 1);
    }
    const auto sibling = std::find(siblings.names.begin(), siblings.names.end(), name);
    if (sibling == siblings.names.end()) throw word.error(unknown_word("layer", name, names_in_sight(scope)));
    const auto at = static_cast<std::size_t>(sibling - siblings.names.begin());
    if (at >= siblings.self) {
      throw word.error(fmt::format("\"{}\" does not come before {}; a layer reads only earlier layers", name,
                                   siblings.names[siblings.self]));
    }
    throw word.error(fmt::format("\"{}\" is no layer of repetition {}", name, scope.number));
  }

  std::vector<std::string> names_in_sight(const Scope& scope) const {
    std::vector<std::string> names;
    for (const auto& layer : model_.layers) {
      const bool inside = layer.name.rfind(scope.prefix, 0) == 0;
      names.push_back(inside ? layer.name.substr(scope.prefix.size()) : layer.name);
    }
    if (scope.repetition.in_block) names.emplace_back("block_input");
    if (names.size() > 20) names.erase(names.begin(), names.end() - 20);  // the nearest ones; a list stays readable
    return names;
  }

  int last() const { return static_cast<int>(model_.layers.size()) - 1; }
  Shape shape(int layer) const {
    return layer < 0 ? model_.input : model_.layers[static_cast<std::size_t>(layer)].output;
  }

  Model& model_;
  std::unordered_map<std::string, int> by_name_;
  std::vector<bool> read_;
  std::vector<std::string> places_;
};

Shape read_shape(const Document& input) {
  input.allow_only({"channels", "height", "width"});
  Shape shape;
  for (auto& [extent, key] :
       {std::pair<int&, const char*>{shape.channels, "channels"}, {shape.height, "height"}, {shape.width, "width"}}) {
    extent = input.at(key).count();
    if (extent > kLargestExtent) {
      throw input.at(key).error(fmt::format("{} is absurdly large for an input; at most {}", extent, kLargestExtent));
    }
  }
  return shape;
}

Dataset read_dataset(const Document& dataset) {
  dataset.allow_only({"name", "train_samples", "validation_samples"});
  return {dataset.at("name").text(), dataset.at("train_samples").count(), dataset.at("validation_samples").count(0)};
}

Source read_source(const Document& source) {
  source.allow_only({"provenance", "source", "date"});
  const auto word = source.at("provenance").word("provenance", provenance_names());
  return {parse_provenance(word), source.at("source").text(), source.has("date") ? source.at("date").text() : ""};
}

}  // namespace

Model read_model(const Document& file, const std::string& name) {
  file.allow_only({"title", "benchmark", "target", "input", "dataset", "source", "layers"});
  Model model;
  model.name = name;
  model.title = file.at("title").text();
  model.target = file.at("target").text();
  if (file.has("benchmark")) model.benchmark = file.at("benchmark").text();
  model.input = read_shape(file.at("input"));
  model.dataset = read_dataset(file.at("dataset"));
  model.source = read_source(file.at("source"));
  const Document list = file.at("layers");
  LayerList layers(model);
  layers.read(list, Scope{});
  layers.check_all_read(list);
  if (model.parameters() == 0) throw list.error("the model has no parameters to train");
  return model;
}

}  // namespace mlsim
