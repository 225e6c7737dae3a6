#include "workloads/layer_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlsim {
namespace {

// Far above any published network, and small enough that sums over a model stay exact in 64 bits.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 30;
constexpr int kLargestWindow = 65536;
constexpr double kMostMacs = 1e14;

// The keys of each kind, in the order of LayerKind.
const std::vector<std::vector<std::string>>& kind_options() {
  static const std::vector<std::vector<std::string>> options{
      {"channels", "kernel", "stride", "padding", "bias"},  // convolution
      {},                                                   // batch_normalization
      {},                                                   // relu
      {"shortcut"},                                         // add
      {"kernel", "stride", "padding"},                      // max_pool
      {"kernel", "stride", "padding"},                      // average_pool
      {"outputs", "bias"},                                  // dense
      {}};                                                  // softmax_loss
  return options;
}

std::string text_of(Shape shape) { return fmt::format("{} x {} x {}", shape.channels, shape.height, shape.width); }

int extent_after(const LayerEntry& entry, const Layer& layer, int extent, const char* side) {
  const int padded = extent + 2 * layer.padding;
  if (layer.kernel > padded) {
    throw entry.error(fmt::format("the kernel of {} is larger than its input: {} against a {} of {} with padding {}",
                                  entry.name(), layer.kernel, side, extent, layer.padding));
  }
  return (padded - layer.kernel) / layer.stride + 1;
}

void read_window(const LayerEntry& entry, Layer& layer) {
  const bool pool = layer.kind != LayerKind::convolution;
  layer.kernel = entry.count("kernel");
  layer.stride = entry.count("stride", pool ? layer.kernel : 1);
  layer.padding = entry.count("padding", pool ? 0 : (layer.kernel - 1) / 2, 0);
  if (layer.kernel > kLargestWindow || layer.stride > kLargestWindow) {
    throw entry.error(fmt::format("a window of more than {} is absurdly large", kLargestWindow));
  }
  if (layer.padding >= layer.kernel) {
    throw entry.error(fmt::format("a padding of {} does not suit a kernel of {}", layer.padding, layer.kernel));
  }
  layer.output.height = extent_after(entry, layer, layer.input.height, "height");
  layer.output.width = extent_after(entry, layer, layer.input.width, "width");
}

void check_size(const LayerEntry& entry, const Layer& layer) {
  const double elements = double(layer.output.channels) * layer.output.height * layer.output.width;
  const double per_output = layer.kind == LayerKind::convolution
                                ? double(layer.kernel) * layer.kernel * layer.input.channels
                                : double(layer.input.elements());
  const bool weighted = layer.kind == LayerKind::convolution || layer.kind == LayerKind::dense;
  if (elements > double(kLargestTensor) || (weighted && elements * per_output > kMostMacs)) {
    throw entry.error(fmt::format("{} is absurdly large: {} from {} per sample", entry.name(), text_of(layer.output),
                                  text_of(layer.input)));
  }
}

}  // namespace

const std::vector<std::string>& layer_kind_names() {
  static const std::vector<std::string> names{"convolution", "batch_normalization", "relu",  "add",
                                              "max_pool",    "average_pool",        "dense", "softmax_loss"};
  return names;
}

void check_name(const std::string& name, const Document& place) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (name.size() > 64 || !std::all_of(name.begin(), name.end(), allowed) || name == "block_input") {
    throw place.error(fmt::format("\"{}\" cannot be a name; use letters, digits, _ and -", name.substr(0, 80)));
  }
}

LayerEntry::LayerEntry(const Document& entry, Repetition repetition) : entry_(entry), repetition_(repetition) {
  const auto& names = layer_kind_names();
  const std::string kind = entry.at("layer").word("layer kind", names);
  const auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), kind) - names.begin());
  kind_ = static_cast<LayerKind>(index);
  name_ = entry.at("name").text();
  check_name(name_, entry.at("name"));

  std::vector<std::string> options = kind_options()[index];
  options.emplace_back("input");
  if (entry.has("first")) entry.at("first").allow_only(options);
  options.insert(options.end(), {"layer", "name", "first", "only"});
  entry.allow_only(options);
  for (const auto* key : {"first", "only"}) {
    if (entry.has(key) && !repetition.in_block) {
      throw entry.at(key).error(fmt::format("\"{}\" has a meaning only inside a block", key));
    }
  }
  if (entry.has("only")) entry.at("only").word("repetition", {"first"});
}

bool LayerEntry::present() const { return repetition_.first || !entry_.has("only"); }

std::optional<Document> LayerEntry::option(const std::string& key) const {
  if (repetition_.first && entry_.has("first") && entry_.at("first").has(key)) return entry_.at("first").at(key);
  if (entry_.has(key)) return entry_.at(key);
  return std::nullopt;
}

int LayerEntry::count(const std::string& key, int otherwise, int lowest) const {
  const auto value = option(key);
  return value ? value->count(lowest) : otherwise;
}

int LayerEntry::count(const std::string& key) const {
  const auto value = option(key);
  return value ? value->count() : entry_.at(key).count();
}

InputError LayerEntry::error(const std::string& reason) const { return entry_.error(reason); }

Layer shaped_layer(const LayerEntry& entry, Shape input, const std::vector<Shape>& others) {
  Layer layer;
  layer.kind = entry.kind();
  layer.input = input;
  layer.output = input;
  for (const auto& other : others) {
    if (other != input) {
      throw entry.error(
          fmt::format("{} adds tensors of different shapes: {} and {}", entry.name(), text_of(input), text_of(other)));
    }
  }
  const auto bias = [&](bool otherwise) {
    const auto value = entry.option("bias");
    return value ? value->flag() : otherwise;
  };
  if (layer.kind == LayerKind::convolution) {
    layer.output.channels = entry.count("channels");
    layer.bias = bias(false);
    read_window(entry, layer);
  } else if (layer.kind == LayerKind::max_pool || layer.kind == LayerKind::average_pool) {
    read_window(entry, layer);
  } else if (layer.kind == LayerKind::dense) {
    layer.output = {entry.count("outputs"), 1, 1};
    layer.bias = bias(true);
  } else if (layer.kind == LayerKind::batch_normalization) {
    layer.bias = true;  // the shift, beside the scale
  }
  check_size(entry, layer);
  return layer;
}

}  // namespace mlsim
