#include "workloads/model/model.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_map>

#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

template <class Count>
std::int64_t sum_over(const std::vector<Layer>& layers, Count count) {
  std::int64_t sum = 0;
  for (const auto& layer : layers) sum += count(layer);
  return sum;
}

// Returns "encoder.block3." of "encoder.block3.attention.query"; nothing outside of repeated blocks.
std::string_view repetition_prefix(std::string_view name) {
  constexpr std::string_view kBlock = ".block";  // how the reader of model files names repetitions
  for (auto at = name.rfind(kBlock); at != std::string_view::npos && at > 0; at = name.rfind(kBlock, at - 1)) {
    auto end = at + kBlock.size();
    const auto digits = end;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end > digits && end < name.size() && name[end] == '.') return name.substr(0, end + 1);
  }
  return {};
}

}  // namespace

std::vector<std::int64_t> Layer::parameter_tensors() const {
  const auto tensors_of = operator_of(kind).parameter_tensors;
  if (!tensors_of) return {};
  if (shares < 0) return tensors_of(*this);
  if (owns_bias) return {tensors_of(*this).back()};
  return {};
}

std::int64_t Layer::parameters() const {
  std::int64_t sum = 0;
  for (const auto elements : parameter_tensors()) sum += elements;
  return sum;
}

std::int64_t Layer::look_ups() const {
  if (pooled.empty()) return output.positions();
  return std::accumulate(pooled.begin(), pooled.end(), std::int64_t{0});
}

bool Layer::scores_heads() const { return kind == LayerKind::attention || kind == LayerKind::self_attention; }

bool Layer::mixes_by_head() const { return scores_heads() || kind == LayerKind::state_space; }

std::int64_t Layer::macs() const {
  const auto macs_of = operator_of(kind).macs;
  return macs_of ? macs_of(*this) : 0;
}

std::int64_t Model::parameters() const {
  return sum_over(layers, [](const Layer& layer) { return layer.parameters(); });
}

std::int64_t Model::trainable_parameters() const {
  return sum_over(layers, [](const Layer& layer) { return layer.trainable ? layer.parameters() : 0; });
}

int Model::gradient_tensors() const {
  return static_cast<int>(sum_over(layers, [](const Layer& layer) {
    return layer.trainable ? static_cast<std::int64_t>(layer.parameter_tensors().size()) : 0;
  }));
}

std::int64_t Model::macs() const {
  return sum_over(layers, [](const Layer& layer) { return layer.macs(); });
}

std::string_view network_name(std::string_view workload) {
  const std::string_view name = workload.substr(0, workload.find(':'));
  const auto dash = name.rfind("-v");
  const bool version = dash != std::string_view::npos && dash + 2 < name.size() &&
                       name.find_first_not_of("0123456789.", dash + 2) == std::string_view::npos;
  return version ? name.substr(0, dash) : name;
}

bool has_attention(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return layer.scores_heads(); });
}

bool is_decoder(const Model& model) {
  const auto sees_no_later = [](const Layer& layer) { return !layer.scores_heads() || layer.causal; };
  return model.family == ModelFamily::transformer && has_attention(model) &&
         std::all_of(model.layers.begin(), model.layers.end(), sees_no_later);
}

bool trains_as_language_model(const Model& model) { return is_language_model(model.sort) || is_decoder(model); }

void set_attention(Model& model, AttentionKernels kernels) {
  for (Layer& layer : model.layers) {
    if (layer.scores_heads()) layer.flash = kernels != AttentionKernels::unfused;
  }
}

bool is_repeated(std::string_view layer_name) { return !repetition_prefix(layer_name).empty(); }

std::vector<int> repetition_of_layer(const Model& model) {
  std::unordered_map<std::string_view, int> numbers;
  std::vector<int> repetition;
  std::string_view before;  // of the layer before: most layers stand in the same block
  for (const auto& layer : model.layers) {
    const auto prefix = repetition_prefix(layer.name);
    if (prefix.empty()) {
      repetition.push_back(-1);
    } else if (prefix == before) {
      repetition.push_back(repetition.back());
    } else {
      repetition.push_back(numbers.emplace(prefix, static_cast<int>(numbers.size())).first->second);
    }
    before = prefix;
  }
  return repetition;
}

std::vector<int> first_repetitions(const Model& model, int count) {
  std::vector<int> repetition = repetition_of_layer(model);
  if (count > 0)
    std::replace_if(
        repetition.begin(), repetition.end(), [&](int each) { return each >= count; }, -1);
  return repetition;
}

int repetitions_of(const Model& model) {
  const auto repetition = repetition_of_layer(model);
  return repetition.empty() ? 0 : 1 + *std::max_element(repetition.begin(), repetition.end());
}

}  // namespace mlsim::workloads
