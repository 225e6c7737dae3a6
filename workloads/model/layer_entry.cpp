#include "workloads/model/layer_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/model/operator.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

// The limits are far above any published network: attention of 131,072 tokens and a width of 16384 takes 6e14. Sums of
// parameters over a model of 100,000 layers stay exact in 64 bits, and the reader of layers bounds those of work.
constexpr std::int64_t kMostMacs = 50'000'000'000'000'000;
constexpr std::int64_t kMostParameters = 50'000'000'000'000;

void check_size(const LayerEntry& entry, const Layer& layer) {
  const Operator& op = operator_of(layer.kind);
  std::int64_t parameters = 0;
  if (op.parameter_tensors) {
    for (const auto elements : op.parameter_tensors(layer)) {
      parameters = std::min(parameters, kMostParameters) + std::min(elements, 2 * kMostParameters);
    }
  }
  const auto [channels, height, width] = layer.output;
  if (std::max({channels, height, width}) > kLongestSide ||
      count_product({layer.output.channels, layer.output.height, layer.output.width}) > kLargestTensor ||
      parameters > kMostParameters || (op.macs && op.macs(layer) > kMostMacs)) {
    throw entry.error(fmt::format("{} is absurdly large: {} from {} per sample", entry.name(), shape_text(layer.output),
                                  shape_text(layer.input)));
  }
}

constexpr int kDeepestBlock = 8;

std::vector<BlockItem> read_items(const Document& list, const FileParameters& parameters, int depth);

BlockTree read_block(const Document& block, const FileParameters& parameters, int depth) {
  const bool named = block.has("block");
  block.allow_only(named ? std::vector<std::string>{"block", "repeat", "frozen", "when", "layers"}
                         : std::vector<std::string>{"frozen", "when", "layers"});
  if (depth > kDeepestBlock) throw block.error("blocks are nested too deep");
  BlockTree tree{.document = block,
                 .name = named ? block.at("block").text() : "",
                 .repeated = block.has("repeat"),
                 .parameters = &parameters,
                 .items = {}};
  if (named) check_name(tree.name, block.at("block"));
  if (tree.repeated) tree.repeat = parameters.count(block.at("repeat"));
  if (block.has("frozen")) tree.frozen = parameters.flag(block.at("frozen"));
  if (block.has("when")) tree.when = block.at("when");
  tree.items = read_items(block.at("layers"), parameters, depth);
  return tree;
}

std::vector<BlockItem> read_items(const Document& list, const FileParameters& parameters, int depth) {
  const auto entries = list.items();
  if (entries.empty()) throw list.error("the list of layers is empty");
  std::vector<BlockItem> items;
  for (const auto& entry : entries) {
    if (entry.has("block") || entry.has("layers")) {
      items.push_back({std::nullopt, std::make_shared<BlockTree>(read_block(entry, parameters, depth + 1))});
    } else {
      items.push_back({LayerEntry(entry, depth > 0, parameters), nullptr});
    }
  }
  return items;
}

// What the first repetition holds is in use, so the others need not tell what they leave out.
bool holds_when(const Document* when, const Document& entry, const FileParameters& parameters, int number) {
  if (when == nullptr || parameters.flag(*when, number)) return true;
  if (number <= 0) parameters.leave_out(entry);
  return false;
}

}  // namespace

void check_name(const std::string& name, const Document& place) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (name.size() > 64 || !std::all_of(name.begin(), name.end(), allowed) || name == "block_input" ||
      name == "previous_input") {
    throw place.error(fmt::format("\"{}\" cannot be a name; use letters, digits, _ and -", name.substr(0, 80)));
  }
}

LayerEntry::LayerEntry(const Document& entry, bool in_block, const FileParameters& parameters)
    : entry_(entry),
      own_(entry.entries()),
      parameters_(&parameters),
      kind_(entry.at("layer").word<LayerKind>()),
      name_(entry.at("name").text()) {
  check_name(name_, entry.at("name"));
  const Operator& op = operator_of(kind_);
  std::vector<std::string> keys(op.options.begin(), op.options.end());
  keys.insert(keys.end(), op.inputs.begin(), op.inputs.end());
  keys.emplace_back("input");
  if (const Document* const first = found(own_, "first")) {
    first->allow_only(keys);
    first_options_ = first->entries();
  }
  keys.insert(keys.end(), {"layer", "name", "first", "only", "frozen", "when"});
  if (op.parameter_tensors) keys.emplace_back("shares");
  entry.allow_only(keys);
  for (const auto* key : {"first", "only"}) {
    if (entry.has(key) && !in_block) {
      throw entry.at(key).error(fmt::format("\"{}\" has a meaning only inside a block", key));
    }
  }
  if (entry.has("only")) {
    entry.at("only").word("repetition", {"first"});
    only_first_ = true;
  }
}

const Document* LayerEntry::found(const Map& map, const std::string& key) {
  const auto at = std::find_if(map.begin(), map.end(), [&](const auto& each) { return each.first == key; });
  return at == map.end() ? nullptr : &at->second;
}

bool LayerEntry::holds() const { return holds_when(found(own_, "when"), entry_, *parameters_, number_); }

bool BlockTree::holds(int number) const { return holds_when(when ? &*when : nullptr, document, *parameters, number); }

std::optional<bool> LayerEntry::frozen() const {
  const Document* const frozen = found(own_, "frozen");
  return frozen == nullptr ? std::nullopt : std::optional(parameters_->flag(*frozen, number_));
}

std::optional<Document> LayerEntry::option(const std::string& key) const {
  const Document* const first = first_ ? found(first_options_, key) : nullptr;
  const Document* const value = first != nullptr ? first : found(own_, key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Document LayerEntry::required(const std::string& key) const {
  const auto value = option(key);
  return value ? *value : entry_.at(key);
}

int LayerEntry::count(const std::string& key) const {
  return read(key, [&](const Document& value) { return parameters_->count(value, 1, number_); });
}

int LayerEntry::count(const std::string& key, int fallback, int lowest) const {
  if (!option(key)) return fallback;
  return read(key, [&](const Document& value) { return parameters_->count(value, lowest, number_); });
}

std::vector<std::int64_t> LayerEntry::counts(const std::string& key, std::int64_t highest) const {
  return read(key, [&](const Document& value) {
    if (!value.is_list()) return std::vector<std::int64_t>{parameters_->value(value, 1, highest, number_)};
    std::vector<std::int64_t> counts;
    for (const auto& item : value.items()) counts.push_back(parameters_->value(item, 1, highest, number_));
    if (counts.empty()) throw value.error(fmt::format("the list \"{}\" is empty", key));
    return counts;
  });
}

bool LayerEntry::flag(const std::string& key, bool fallback) const {
  const auto value = option(key);
  return value ? parameters_->flag(*value, number_) : fallback;
}

Extent LayerEntry::extent(const std::string& key, int lowest) const {
  return read(key, [&](const Document& value) {
    if (!value.is_list()) {
      const int side = parameters_->count(value, lowest, number_);
      return Extent{side, side};
    }
    const auto sides = value.items();
    if (sides.size() != 2) throw value.error(fmt::format("\"{}\" is one number or [height, width]", key));
    return Extent{parameters_->count(sides[0], lowest, number_), parameters_->count(sides[1], lowest, number_)};
  });
}

Extent LayerEntry::extent(const std::string& key, Extent fallback, int lowest) const {
  return option(key) ? extent(key, lowest) : fallback;
}

Layer shaped_layer(const LayerEntry& entry, Shape input, std::vector<Shape> others) {
  Layer layer;
  layer.kind = entry.kind();
  layer.input = input;
  layer.others = std::move(others);
  layer.output = input;
  operator_of(layer.kind).shape(entry, layer);
  check_size(entry, layer);
  return layer;
}

BlockTree read_block_tree(const Document& list, const FileParameters& parameters) {
  return {.document = list, .parameters = &parameters, .items = read_items(list, parameters, 0)};
}

}  // namespace mlsim::workloads
