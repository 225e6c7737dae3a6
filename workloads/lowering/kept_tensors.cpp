#include "workloads/lowering/kept_tensors.hpp"

#include <vector>

#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/operator.hpp"
#include "workloads/model/repetition.hpp"

namespace mlsim::workloads {
namespace {

KeptTensors& operator+=(KeptTensors& sum, const KeptTensors& more) {
  sum.elements += more.elements;
  sum.masks += more.masks;
  sum.wide += more.wide;
  sum.operands += more.operands;
  return sum;
}

// Says whether the layer's output is its inputs seen otherwise, not a copy.
bool is_view(const Layer& layer, bool fusion) {
  switch (layer.kind) {
    case LayerKind::flatten:
    case LayerKind::reshape: return true;
    case LayerKind::concat:
    case LayerKind::upsample: return fusion;
    default: return false;
  }
}

// Tensors stand by producer: the model's inputs first, then the layers' outputs.
class Tensors {
 public:
  explicit Tensors(const Model& model)
      : model_(model), kept_(model.inputs.size() + model.layers.size()), whole_(kept_.size()) {}

  void keep(int layer, bool as_operand = false) {
    kept_[place(layer)] = true;
    if (!as_operand) whole_[place(layer)] = true;
  }
  void drop(int layer) { kept_[place(layer)] = false; }
  bool is_operand(int layer) const { return !whole_[place(layer)]; }
  bool is_kept(int layer) const { return kept_[place(layer)]; }
  double elements(int layer) const {
    const auto at = place(layer);
    if (layer < 0) return double(model_.inputs[at].shape.elements());
    return double(model_.layers[layer].output.elements());
  }
  int first() const { return -static_cast<int>(model_.inputs.size()); }
  int end() const { return static_cast<int>(model_.layers.size()); }

 private:
  int place(int layer) const { return layer < 0 ? -1 - layer : layer - first(); }

  const Model& model_;
  std::vector<bool> kept_, whole_;  // whole: not for matrix products alone
};

struct MarkedTensors {
  Tensors tensors;
  std::vector<KeptTensors> extra;  // by layer
};

MarkedTensors mark(const ShardedModel& sharded, bool fusion) {
  const Model& model = sharded.model;
  const auto in_backward = layers_in_backward(model, sharded.inputs_trained);
  MarkedTensors marked{Tensors(model), std::vector<KeptTensors>(model.layers.size())};
  for (int i = marked.tensors.end() - 1; i >= 0; --i) {
    const Layer& layer = model.layers[i];
    if (in_backward[i]) {
      const Kept kept = operator_of(layer.kind).kept(layer, fusion ? FusionRole::leads : FusionRole::separate);
      if (kept.output) marked.tensors.keep(i);
      if (kept.inputs) {
        const bool operand = layer.kind == LayerKind::dense || layer.kind == LayerKind::expert_dense;
        for (const int input : layer.inputs) marked.tensors.keep(input, operand);
      }
      marked.extra[i] = {kept.extra, kept.masks, kept.wide};
    }
    if (marked.tensors.is_kept(i) && is_view(layer, fusion)) {
      marked.tensors.drop(i);
      for (const int input : layer.inputs) marked.tensors.keep(input, marked.tensors.is_operand(i));
    }
  }
  return marked;
}

// repetition[i]: the repetition with which layer i runs again, or -1.
std::vector<int> repetitions(const Model& model, RunAgain again) {
  if (again == RunAgain::blocks) return repetition_of_layer(model);
  return std::vector<int>(model.layers.size(), again == RunAgain::everything ? 0 : -1);
}

const KeptTensors& larger(const KeptTensors& a, const KeptTensors& b) {
  return a.bytes(Precision::fp32) < b.bytes(Precision::fp32) ? b : a;
}

// read[k]: a layer that runs again reads input k of the model.
std::vector<bool> inputs_read_again(const Model& model, const std::vector<int>& repetition) {
  std::vector<bool> read(model.inputs.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input < 0 && repetition[i] >= 0) read[-1 - input] = true;
    }
  }
  return read;
}

// handed[i]: a layer outside of layer i's repetition reads its output.
std::vector<bool> handed_on(const Model& model, const std::vector<int>& repetition) {
  std::vector<bool> handed(model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const int input : model.layers[i].inputs) {
      if (input >= 0 && repetition[i] != repetition[input]) handed[input] = true;
    }
  }
  return handed;
}

}  // namespace

RunAgain run_again(Recompute recompute) {
  switch (recompute) {
    case Recompute::off: break;
    case Recompute::selective: return RunAgain::attention;
    case Recompute::full: return RunAgain::blocks;
  }
  return RunAgain::nothing;
}

KeptActivations kept_tensors(const ShardedModel& sharded, bool fusion, RunAgain again) {
  const Model& model = sharded.model;
  const MarkedTensors marked = mark(sharded, fusion);
  const auto repetition = repetitions(model, again);
  const auto handed = handed_on(model, repetition);
  const auto read_again = inputs_read_again(model, repetition);
  KeptActivations kept;
  std::vector<KeptTensors> of_repetition;
  for (int i = marked.tensors.first(); i < marked.tensors.end(); ++i) {
    if (i < 0) {
      if (marked.tensors.is_kept(i) || read_again[-1 - i]) kept.each += {marked.tensors.elements(i), 0, 0};
      continue;
    }
    KeptTensors tensor;
    if (marked.tensors.is_kept(i))
      (marked.tensors.is_operand(i) ? tensor.operands : tensor.elements) = marked.tensors.elements(i);
    if (handed[i]) {
      kept.each += {marked.tensors.elements(i), 0, 0};
    } else if (repetition[i] < 0) {
      kept.each += tensor;
    }
    if (again == RunAgain::attention && runs_again_alone(model.layers[i])) {
      kept.recomputed = larger(kept.recomputed, marked.extra[i]);
      continue;
    }
    if (repetition[i] < 0) {
      kept.each += marked.extra[i];
      continue;
    }
    const auto r = static_cast<std::size_t>(repetition[i]);
    if (of_repetition.size() <= r) of_repetition.resize(r + 1);
    if (!handed[i]) of_repetition[r] += tensor;
    of_repetition[r] += marked.extra[i];
  }
  for (const KeptTensors& each : of_repetition) kept.recomputed = larger(kept.recomputed, each);
  return kept;
}

}  // namespace mlsim::workloads
