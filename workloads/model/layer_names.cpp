#include "workloads/model/layer_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlsim::workloads {
namespace {

constexpr std::size_t kMostShown = 20;  // names in a message

// Takes the innermost block off: "stage1.block0." -> "stage1." -> "".
std::string outer_prefix(const std::string& prefix) {
  const auto dot = prefix.size() < 2 ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
  return dot == std::string::npos ? "" : prefix.substr(0, dot + 1);
}

}  // namespace

LayerNames::LayerNames(const Model& model) : model_(model) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    by_name_.emplace(model.inputs[i].name, Meaning{-1 - static_cast<int>(i)});
}

void LayerNames::add(const std::string& name, int layer, const Document& place) {
  const auto [known, added] = by_name_.emplace(name, Meaning{layer});
  if (!added && !known->second.left_out) throw taken(name, known->second.layer, place);
  known->second = {layer};
}

void LayerNames::add_left_out(const std::string& name, int layer, const Document& place) {
  const auto [known, added] = by_name_.emplace(name, Meaning{layer, true});
  if (!added && known->second.layer < 0 && !known->second.left_out) throw taken(name, known->second.layer, place);
}

InputError LayerNames::taken(const std::string& name, int layer, const Document& place) const {
  return place.error(layer < 0 ? fmt::format("\"{}\" is the name of an input of the model", name)
                               : fmt::format("the layer name \"{}\" stands twice", name));
}

int LayerNames::source(const Document& word, const NameScope& scope) const {
  const std::string name = word.text();
  if (name == "block_input" || name == "previous_input") {
    if (!scope.in_block) throw word.error(fmt::format("\"{}\" has a meaning only inside a block", name));
    return name == "block_input" ? scope.block_input : scope.previous_input;
  }
  for (std::string prefix = scope.prefix;; prefix = outer_prefix(prefix)) {
    if (const auto found = by_name_.find(prefix + name); found != by_name_.end()) return found->second.layer;
    if (prefix.empty()) throw unknown(word, scope);
  }
}

int LayerNames::layer(const Document& word, const NameScope& scope) const {
  const int found = source(word, scope);
  if (found < 0) throw word.error(fmt::format("\"{}\" is an input of the model and has no parameters", word.text()));
  return found;
}

InputError LayerNames::unknown(const Document& word, const NameScope& scope) const {
  const std::string name = word.text();
  const std::string& reader = (*scope.siblings)[scope.self].name();
  for (const NameScope* around = &scope; around; around = around->outer) {
    const auto& siblings = *around->siblings;
    const auto found =
        std::find_if(siblings.begin(), siblings.end(), [&](const BlockItem& item) { return item.name() == name; });
    if (found == siblings.end()) continue;
    const std::size_t at = found - siblings.begin();
    if (at == around->self && around == &scope) return too_late(word, reader, true);
    if (at == around->self) {
      return word.error(fmt::format("{} reads the block \"{}\" that it stands in: a cycle", reader, name));
    }
    if (at > around->self) return too_late(word, reader, false);
    return word.error(fmt::format("\"{}\" is no layer of repetition {}", name, around->number));
  }
  std::vector<std::string> names;
  for (const auto& input : model_.inputs) names.push_back(input.name);
  for (const auto& layer : model_.layers) {
    const bool inside = layer.name.rfind(scope.prefix, 0) == 0;
    names.push_back(inside ? layer.name.substr(scope.prefix.size()) : layer.name);
  }
  if (scope.in_block) names.insert(names.end(), {"block_input", "previous_input"});
  if (const auto nearest = nearest_word(name, names); !nearest.empty()) names = {nearest};
  if (names.size() > kMostShown) names.erase(names.begin(), names.end() - kMostShown);  // those close by
  return word.error(unknown_word("layer", name, names));
}

InputError LayerNames::too_late(const Document& word, const std::string& reader, bool itself) const {
  if (itself) return word.error(fmt::format("{} reads itself, a cycle; a layer reads only earlier layers", reader));
  return word.error(
      fmt::format("\"{}\" does not come before {}, a cycle or a slip of order; a layer reads only "
                  "earlier layers",
                  word.text(), reader));
}

}  // namespace mlsim::workloads
