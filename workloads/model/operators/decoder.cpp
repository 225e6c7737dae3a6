#include <fmt/format.h>

#include <algorithm>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

// Reads the heads of packed projections: the queries of all heads, then the keys, then the values of kv_heads each.
void read_heads(const LayerEntry& entry, Layer& layer) {
  layer.heads = entry.count("heads");
  layer.kv_heads = entry.count("kv_heads", layer.heads);
  layer.head_size = entry.count("head_size");
  layer.value_size = entry.count("value_size", layer.head_size);
  if (layer.heads % layer.kv_heads != 0)
    throw entry.error(fmt::format("{} heads of keys and values do not divide the {} heads of {}", layer.kv_heads,
                                  layer.heads, entry.name()));
}

void check_packed(const LayerEntry& entry, const Layer& layer) {
  const std::int64_t channels = packed_channels(layer.heads, layer.kv_heads, layer.head_size, layer.value_size);
  if (layer.input.channels != channels)
    throw entry.error(fmt::format("{} reads {} heads of queries and {} of keys and values, {} channels, not {}",
                                  entry.name(), layer.heads, layer.kv_heads, channels, layer.input.channels));
}

void self_attention_shape(const LayerEntry& entry, Layer& layer) {
  read_heads(entry, layer);
  check_packed(entry, layer);
  layer.causal = entry.flag("causal", true);
  layer.window = entry.count("window", 0, 0);
  layer.dropout = entry.flag("dropout", false);
  layer.sinks = entry.flag("sinks", false);
  if (layer.window > 0 && !layer.causal) throw entry.error(entry.name() + " has a window but no causal mask");
  layer.output.channels = checked_extent(entry, count_product({layer.heads, layer.value_size}));
}

std::vector<std::int64_t> sink_tensors(const Layer& layer) {
  return layer.sinks ? std::vector<std::int64_t>{layer.heads} : std::vector<std::int64_t>{};
}

// Scores and weighted values count as the full square, whatever is masked, as published rates do (Narayanan et al.,
// arXiv:2104.04473, appendix; Chowdhery et al., arXiv:2204.02311, appendix B).
std::int64_t self_attention_macs(const Layer& layer) {
  const std::int64_t queries = layer.input.positions();
  return count_product(
      {queries, queries * layer.contexts, layer.heads, std::int64_t{layer.head_size} + layer.value_size});
}

// A state space reads gate, inputs, B and C of all groups and step sizes side by side (Dao and Gu, arXiv:2405.21060,
// section 7.1; state-spaces/mamba, mamba_ssm/modules/mamba2.py).
void state_space_shape(const LayerEntry& entry, Layer& layer) {
  layer.heads = entry.count("heads");
  layer.kv_heads = entry.count("groups", 1);
  layer.head_size = entry.count("head_size");
  layer.state = entry.count("state");
  layer.kernel = {entry.count("taps", 4), 1};
  layer.chunk = entry.count("chunk", 256);
  if (layer.heads % layer.kv_heads != 0)
    throw entry.error(
        fmt::format("{} groups do not divide the {} heads of {}", layer.kv_heads, layer.heads, entry.name()));
  const std::int64_t inner = count_product({layer.heads, layer.head_size});
  const std::int64_t channels = 2 * inner + 2 * count_product({layer.kv_heads, layer.state}) + layer.heads;
  if (layer.input.channels != channels)
    throw entry.error(fmt::format("{} reads {} heads of {} and {} groups of states of {}, {} channels, not {}",
                                  entry.name(), layer.heads, layer.head_size, layer.kv_heads, layer.state, channels,
                                  layer.input.channels));
  layer.output.channels = checked_extent(entry, inner);
}

// Weights and bias of the convolution, then by head the step's bias, the decay and the skip, then the norm's scales.
std::vector<std::int64_t> state_space_tensors(const Layer& layer) {
  const std::int64_t inner = std::int64_t{layer.heads} * layer.head_size;
  const std::int64_t channels = inner + 2 * std::int64_t{layer.kv_heads} * layer.state;
  return {channels * layer.kernel.height, channels, layer.heads, layer.heads, layer.heads, inner};
}

// Within a chunk of Q tokens B and C meet by group and weigh the inputs by head; a state is made of a chunk's inputs,
// and gives to the tokens of the next (arXiv:2405.21060, section 6 and listing 1), all as full squares.
std::int64_t state_space_macs(const Layer& layer) {
  const std::int64_t tokens = layer.input.positions(), chunk = std::min<std::int64_t>(layer.chunk, tokens);
  const std::int64_t inner = count_product({layer.heads, layer.head_size});
  return count_product({tokens, chunk, layer.kv_heads, layer.state}) + count_product({tokens, chunk, inner}) +
         count_product({2, tokens, inner, layer.state});
}

void rms_shape(const LayerEntry& entry, Layer& layer) {
  layer.output.channels = entry.count("channels", layer.input.channels);
  if (layer.output.channels > layer.input.channels)
    throw entry.error(
        fmt::format("{} takes {} of {} channels", entry.name(), layer.output.channels, layer.input.channels));
}

std::vector<std::int64_t> rms_tensors(const Layer& layer) { return {layer.output.channels}; }

void rotary_shape(const LayerEntry& entry, Layer& layer) {
  read_heads(entry, layer);
  check_packed(entry, layer);
}

// Queries and keys are normalised, each with one scale for all heads (Qwen3, arXiv:2505.09388, section 2) or with
// scales of each head's own (OLMo 2, arXiv:2501.00656, section 2.1).
void head_normalization_shape(const LayerEntry& entry, Layer& layer) {
  rotary_shape(entry, layer);
  layer.own_scales = entry.flag("own_scales", false);
}

std::vector<std::int64_t> head_normalization_tensors(const Layer& layer) {
  if (!layer.own_scales) return {layer.head_size, layer.head_size};
  return {count_product({layer.heads, layer.head_size}), count_product({layer.kv_heads, layer.head_size})};
}

void gated_shape(const LayerEntry& entry, Layer& layer) {
  if (layer.input.channels % 2 != 0)
    throw entry.error(
        fmt::format("{} multiplies two halves; {} channels have none", entry.name(), layer.input.channels));
  layer.output.channels = layer.input.channels / 2;
}

// The keys of latent attention are made of up-projected channels and those that all heads share (DeepSeek-AI,
// arXiv:2405.04434, section 2.1 and appendix C): the result is packed as self_attention reads it.
void latent_rotary_shape(const LayerEntry& entry, Layer& layer) {
  read_heads(entry, layer);
  const Shape up = layer.others[0], latent = layer.others[1];
  const std::int64_t own = std::int64_t{up.channels} / layer.heads - layer.value_size;
  if (layer.input.channels != count_product({layer.heads, layer.head_size}) || up.channels % layer.heads != 0 ||
      own < 1 || own > layer.head_size || latent.channels < layer.head_size - own)
    throw entry.error(fmt::format("{} cannot make {} heads of {} channels, values of {}, of {}, {} and {}",
                                  entry.name(), layer.heads, layer.head_size, layer.value_size, shape_text(layer.input),
                                  shape_text(up), shape_text(latent)));
  layer.output.channels =
      checked_extent(entry, packed_channels(layer.heads, layer.heads, layer.head_size, layer.value_size));
}

// Each position is copied to the experts that its gate chooses, and their results are added up.
void dispatch_shape(const LayerEntry& entry, Layer& layer) {
  const std::int64_t chosen = entry.count("chosen");
  if (chosen > layer.others[0].channels)
    throw entry.error(fmt::format("{} chooses {} experts for each position but its gate has {}", entry.name(), chosen,
                                  layer.others[0].channels));
  layer.output.height = checked_extent(entry, count_product({layer.input.height, chosen}));
}

void combine_shape(const LayerEntry& entry, Layer& layer) {
  const int chosen = entry.count("chosen");
  if (layer.input.height % chosen != 0)
    throw entry.error(fmt::format("{} adds {} results for each position; {} positions have not so many each",
                                  entry.name(), chosen, layer.input.height));
  layer.output.height = layer.input.height / chosen;
  layer.bias = entry.flag("biases", false);
}

Operator moves(OperatorClass of, LayerKind kind, std::string_view name, std::vector<std::string_view> options,
               std::vector<std::string_view> inputs, void (*shape)(const LayerEntry&, Layer&),
               std::vector<std::int64_t> (*tensors)(const Layer&) = nullptr) {
  return {kind, name, of, std::move(options), std::move(inputs), shape, tensors, nullptr, decoder_work, decoder_kept};
}

}  // namespace

std::int64_t packed_channels(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_size,
                             std::int64_t value_size) {
  return count_product({heads, head_size}) + count_product({kv_heads, head_size + value_size});
}

Operators decoder_operators() {
  using enum OperatorClass;
  const std::vector<std::string_view> heads{"heads", "kv_heads", "head_size", "value_size"};
  return {
      {LayerKind::self_attention,
       "self_attention",
       matrix_product,
       {"heads", "kv_heads", "head_size", "value_size", "causal", "window", "dropout", "sinks"},
       {},
       self_attention_shape,
       sink_tensors,
       self_attention_macs,
       attention_work,
       attention_kept},
      {LayerKind::state_space,
       "state_space",
       matrix_product,
       {"heads", "head_size", "groups", "state", "taps", "chunk"},
       {},
       state_space_shape,
       state_space_tensors,
       state_space_macs,
       state_space_work,
       state_space_kept},
      moves(normalization, LayerKind::rms_normalization, "rms_normalization", {"channels"}, {}, rms_shape, rms_tensors),
      moves(normalization, LayerKind::head_normalization, "head_normalization",
            {"heads", "kv_heads", "head_size", "value_size", "own_scales"}, {}, head_normalization_shape,
            head_normalization_tensors),
      moves(pointwise, LayerKind::squared_relu, "squared_relu", {}, {}, same_shape),
      moves(pointwise, LayerKind::swiglu, "swiglu", {}, {}, gated_shape),
      moves(pointwise, LayerKind::geglu, "geglu", {}, {}, gated_shape),
      moves(pooling, LayerKind::rotary, "rotary", heads, {}, rotary_shape),
      moves(pooling, LayerKind::latent_rotary, "latent_rotary", heads, {"keys", "latent"}, latent_rotary_shape),
      moves(pooling, LayerKind::expert_dispatch, "expert_dispatch", {"chosen"}, {"router"}, dispatch_shape),
      moves(pooling, LayerKind::expert_combine, "expert_combine", {"chosen", "biases"}, {}, combine_shape),
      moves(loss, LayerKind::cross_entropy, "cross_entropy", {}, {}, same_shape)};
}

}  // namespace mlsim::workloads
