#include "replay/execution/learnt_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/fused/stream.hpp"
#include "kernels/cpu/library/matrix_product.hpp"
#include "workloads/lowering/optimizer.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

constexpr std::uint64_t kWeightSeed = 1, kSampleSeed = 1000;

// Says whether each layer reads the one before it, the first the model's input, and all are of kinds that learn here.
bool is_chain(const Model& model) {
  int before = -1;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const bool loss = layer.kind == LayerKind::softmax_loss || layer.kind == LayerKind::sigmoid_loss;
    if (layer.inputs != std::vector<int>{before} || loss != (i + 1 == model.layers.size())) return false;
    if (!loss && layer.kind != LayerKind::dense && layer.kind != LayerKind::relu) return false;
    if (layer.kind == LayerKind::relu && (i == 0 || model.layers[i - 1].kind != LayerKind::dense)) return false;
    if (!layer.trainable || layer.shares >= 0 || layer.input.positions() != 1) return false;
    before = static_cast<int>(i);
  }
  return !model.layers.empty() && model.layers.front().kind == LayerKind::dense;
}

bool updates_alone(Optimizer optimizer) {
  const UpdateRule rule = update_cost(optimizer, true).update.rule;
  return update_cost(optimizer, true).norms.kernels == 0 && rule != UpdateRule::other &&
         !kernels::takes_norms_of_gradients(rule) && !kernels::takes_norms_of_steps(rule);
}

}  // namespace

bool LearntNetwork::learns(const ReplayPlan& plan) {
  return is_chain(plan.model) && plan.step.micro_batches == 1 && plan.step.parallelism[Axis::pipeline] == 1 &&
         updates_alone(plan.step.optimizer) && (!plan.step.parameter_servers || plan.buckets.size() == 1);
}

LearntNetwork::LearntNetwork(const ReplayPlan& plan, int rank, int ranks, int threads)
    : plan_(plan),
      rank_(rank),
      threads_(kernels::team_size(threads)),
      batch_(static_cast<std::int64_t>(plan.step.batch_per_accelerator)),
      memory_(plan, rank, ranks, threads_) {
  read_layers();
  initialise();
  load_batch();
}

void LearntNetwork::read_layers() {
  for (const Layer& layer : plan_.model.layers) {
    if (layer.kind == LayerKind::dense) {
      const std::int64_t elements = batch_ * layer.output.elements();
      layers_.push_back({layer.name, layer.input.elements(), layer.output.elements(), layer.bias, false,
                         kernels::Buffer(elements), kernels::Buffer(elements)});
    }
    if (layer.kind == LayerKind::relu) layers_.back().relu = true;
    softmax_ = layer.kind == LayerKind::softmax_loss;
  }
}

void LearntNetwork::initialise() {
  std::uint64_t seed = kWeightSeed;
  for (const Dense& layer : layers_) {
    const auto bound = static_cast<float>(std::sqrt(6.0 / double(layer.inputs)));  // He et al., arXiv:1502.01852
    const kernels::Buffer weights = kernels::random_buffer(layer.inputs * layer.outputs, ++seed, -bound, bound);
    std::copy_n(weights.data(), weights.size(), memory_.weights(layer.name + ".weight"));
  }
  memory_.begin();
}

void LearntNetwork::load_batch() {
  const std::int64_t inputs = layers_.front().inputs, classes = layers_.back().outputs;
  features_ = kernels::Buffer(batch_ * inputs);
  labels_ = kernels::Buffer(batch_);
  softmax_loss_ = {kernels::Buffer(batch_ * classes), kernels::Buffer(batch_ * classes), kernels::Buffer(batch_),
                   kernels::Buffer(batch_ * classes), std::make_unique<std::int32_t[]>(std::size_t(batch_))};
  for (std::int64_t i = 0; i < batch_; ++i) {
    kernels::RandomNumbers sample(kSampleSeed + std::uint64_t(rank_ * batch_ + i));
    for (std::int64_t f = 0; f < inputs; ++f) features_[i * inputs + f] = sample.uniform(-1, 1);
    const std::int64_t label = sample.below(std::max<std::int64_t>(2, classes));
    labels_[i] = static_cast<float>(label);
    softmax_loss_.labels[i] = static_cast<std::int32_t>(label);
  }
}

// Finds "fc1" for "fc1+relu1 forward".
std::size_t LearntNetwork::layer_of(const StepNode& node) const {
  const std::string name = node.name.substr(0, node.name.find_first_of("+ "));
  const auto found = std::find_if(layers_.begin(), layers_.end(), [&](const Dense& each) { return each.name == name; });
  if (found == layers_.end()) throw std::logic_error("no layer of node \"" + node.name + "\"");
  return static_cast<std::size_t>(found - layers_.begin());
}

void LearntNetwork::run(StepVertex vertex) {
  const StepNode& node = plan_.graph[vertex];
  switch (node.work->key.op) {
    case KernelOp::dense_forward: return forward(layer_of(node));
    case KernelOp::dense_input_gradient: return input_gradient(layer_of(node));
    case KernelOp::dense_weight_gradient: return weight_gradient(layer_of(node));
    case KernelOp::softmax_loss_forward:
    case KernelOp::sigmoid_loss_forward: return loss();
    case KernelOp::softmax_loss_backward:
    case KernelOp::sigmoid_loss_backward: return loss_gradient();
    case KernelOp::optimizer: return memory_.update();
    default: throw std::logic_error("node \"" + node.name + "\" is of no network that learns");
  }
}

const float* LearntNetwork::input_of(std::size_t layer) const {
  return layer == 0 ? features_.data() : layers_[layer - 1].output.data();
}

void LearntNetwork::forward(std::size_t number) {
  Dense& layer = layers_[number];
  kernels::multiply({batch_, layer.outputs, layer.inputs, 1, false, true, threads_}, input_of(number),
                    memory_.weights(layer.name + ".weight"), layer.output.data());
  const float* bias = layer.bias ? memory_.weights(layer.name + ".bias") : nullptr;
  for (std::int64_t i = 0; i < layer.output.size(); ++i) {
    float& element = layer.output[i];
    if (bias != nullptr) element += bias[i % layer.outputs];
    if (layer.relu) element = std::max(element, 0.0f);
  }
}

// The gradient of a layer's output passes nothing on where the output behind its ReLU is 0.
void LearntNetwork::close_gates(std::size_t number) {
  Dense& layer = layers_[number];
  if (!layer.relu) return;
  for (std::int64_t i = 0; i < layer.output.size(); ++i)
    if (layer.output[i] <= 0) layer.gradient[i] = 0;
}

void LearntNetwork::input_gradient(std::size_t number) {
  Dense& layer = layers_[number];
  kernels::multiply({batch_, layer.inputs, layer.outputs, 1, false, false, threads_}, layer.gradient.data(),
                    memory_.weights(layer.name + ".weight"), layers_[number - 1].gradient.data());
  close_gates(number - 1);
}

void LearntNetwork::weight_gradient(std::size_t number) {
  Dense& layer = layers_[number];
  kernels::multiply({layer.outputs, layer.inputs, batch_, 1, true, false, threads_}, layer.gradient.data(),
                    input_of(number), memory_.gradients(layer.name + ".weight"));
  if (!layer.bias) return;
  float* bias = memory_.gradients(layer.name + ".bias");
  std::fill_n(bias, layer.outputs, 0.0f);
  for (std::int64_t i = 0; i < layer.gradient.size(); ++i) bias[i % layer.outputs] += layer.gradient[i];
}

void LearntNetwork::loss() {
  Dense& last = layers_.back();
  if (!softmax_)
    return kernels::sigmoid_loss(last.output.data(), labels_.data(), batch_, softmax_loss_.losses.data(), threads_);
  std::copy_n(last.output.data(), last.output.size(), softmax_loss_.logits.data());
  kernels::softmax_loss({batch_, last.outputs, threads_}, softmax_loss_);
}

void LearntNetwork::loss_gradient() {
  Dense& last = layers_.back();
  if (softmax_) {
    kernels::softmax_loss_gradient({batch_, last.outputs, threads_}, softmax_loss_);
    std::copy_n(softmax_loss_.gradient.data(), last.gradient.size(), last.gradient.data());
  } else {
    kernels::sigmoid_loss_gradient(last.output.data(), labels_.data(), batch_, last.gradient.data(), threads_);
  }
  close_gates(layers_.size() - 1);
}

std::vector<float> LearntNetwork::weights() {
  std::vector<float> all;
  for (const Dense& layer : layers_) {
    const float* weights = memory_.weights(layer.name + ".weight");
    all.insert(all.end(), weights, weights + layer.inputs * layer.outputs);
    if (!layer.bias) continue;
    const float* bias = memory_.weights(layer.name + ".bias");
    all.insert(all.end(), bias, bias + layer.outputs);
  }
  return all;
}

std::vector<float> joined_weights(const ReplayOrder& order, int ranks) {
  ReplayOrder joined = order;
  joined.batch = order.batch * ranks;
  joined.update = ReplayUpdate::replicated;
  const ReplayPlan plan = replay_plan(joined, 1);
  LearntNetwork network(plan, 0, 1, order.threads);
  for (StepVertex vertex = 0; vertex < plan.graph.size(); ++vertex)
    if (is_compute(plan.graph[vertex])) network.run(vertex);
  return network.weights();
}

}  // namespace mlsim::replay
