#include "workloads/lowering/recompute_modules.hpp"

#include <algorithm>

namespace mlsim::workloads {
namespace {

class Marking {
 public:
  Marking(const Model& model, RecomputeModules modules, int blocks)
      : model_(model),
        modules_(modules),
        all_(blocks == 0),
        repetition_(first_repetitions(model, blocks)),
        again_(model.layers.size()) {
    for (const Layer& each : model.layers)
      if (each.kind == LayerKind::expert_dispatch) routed_.push_back(each.inputs.front());
  }

  std::vector<LayerAgain> marked() {
    for (int i = 0; i < static_cast<int>(again_.size()); ++i) {
      mark_attention(i);
      if (repetition_[i] >= 0) mark(i);
    }
    return again_;
  }

 private:
  // Returns the layer that makes the first input; null where the model gets it.
  const Layer* maker(int i) const {
    const int input = model_.layers[i].inputs.empty() ? -1 : model_.layers[i].inputs.front();
    return input < 0 ? nullptr : &model_.layers[input];
  }
  void drop(int i) { again_[i] = {true, true}; }

  static bool is_activation(LayerKind kind) {
    return kind == LayerKind::relu || kind == LayerKind::squared_relu || kind == LayerKind::gelu ||
           kind == LayerKind::swiglu || kind == LayerKind::geglu;
  }
  static bool is_norm(LayerKind kind) {
    return kind == LayerKind::layer_normalization || kind == LayerKind::rms_normalization;
  }

  // Without a count attention runs again wherever it stands, in models whose blocks do not repeat too.
  void mark_attention(int i) {
    const Layer& layer = model_.layers[i];
    const bool here = all_ || repetition_[i] >= 0;
    if (here && modules_.has(RecomputeModule::core_attention) && layer.scores_heads() && !layer.flash)
      again_[i].runs = true;
  }

  void mark(int i) {
    const Layer& layer = model_.layers[i];
    if (layer.inputs.empty()) return;
    const Layer* before = maker(i);
    // A normalisation behind a product is not of the residual stream.
    if (modules_.has(RecomputeModule::layer_normalization) && is_norm(layer.kind) &&
        (before == nullptr || before->kind != LayerKind::dense))
      drop(i);
    if (before == nullptr) return;
    if (modules_.has(RecomputeModule::moe_activation) && is_activation(layer.kind) &&
        before->kind == LayerKind::expert_dense)
      drop(i);
    if (is_activation(layer.kind) && before->kind == LayerKind::dense) mark_mlp(i);
    if (modules_.has(RecomputeModule::mixture) && layer.kind == LayerKind::expert_combine) mark_mixture(i);
    if (modules_.has(RecomputeModule::latent_up_projection) && layer.kind == LayerKind::latent_rotary) mark_latent(i);
  }

  // Experts that all tokens go through read what is routed, and belong to the mixture.
  void mark_mlp(int activation) {
    const int widen = model_.layers[activation].inputs.front();
    const int input = model_.layers[widen].inputs.front();
    const bool shared = std::find(routed_.begin(), routed_.end(), input) != routed_.end();
    if (!modules_.has(shared ? RecomputeModule::mixture : RecomputeModule::mlp)) return;
    drop(widen);
    drop(activation);
    again_[widen].exchanges = shared;
    for (std::size_t i = activation; i < model_.layers.size(); ++i) {
      const auto& inputs = model_.layers[i].inputs;
      if (model_.layers[i].kind != LayerKind::dense || inputs.front() != activation) continue;
      again_[i] = {true, false, shared};
      return;
    }
  }

  // A mixture is all that stands in the model from its router to the sum of what experts made.
  void mark_mixture(int combine) {
    int first = combine;
    while (first > 0 && model_.layers[first].kind != LayerKind::expert_dispatch) --first;
    first = std::min(first, model_.layers[first].inputs.back());
    for (int i = first; i < combine; ++i) again_[i] = {true, true, true};
    again_[combine] = {true, false, true};
  }

  void mark_latent(int rotary) {
    drop(rotary);
    for (const int up : model_.layers[rotary].inputs) {
      if (up < 0 || model_.layers[up].kind != LayerKind::dense) continue;
      const Layer* norm = maker(up);
      const Layer* pressed = norm == nullptr ? nullptr : maker(model_.layers[up].inputs.front());
      if (pressed == nullptr || !is_norm(norm->kind) || pressed->kind != LayerKind::dense) continue;
      drop(up);
      drop(model_.layers[up].inputs.front());
    }
  }

  const Model& model_;
  RecomputeModules modules_;
  bool all_;
  std::vector<int> repetition_, routed_;  // by layer; what goes to experts
  std::vector<LayerAgain> again_;
};

}  // namespace

std::vector<LayerAgain> layers_again(const Model& model, RecomputeModules modules, int blocks) {
  return Marking(model, modules, blocks).marked();
}

}  // namespace mlsim::workloads
