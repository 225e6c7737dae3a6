#include "workloads/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/kernel_group.hpp"
#include "workloads/layer_work.hpp"

namespace mlsim {
namespace {

using Vertex = StepGraph::vertex_descriptor;
constexpr auto kDataAxis = "data";

class Lowering {
 public:
  Lowering(const Model& model, const StepPlan& plan)
      : model_(model),
        plan_(plan),
        groups_(kernel_groups(model, plan.fusion)),
        group_of_(group_of_layer(groups_)),
        gradient_sources_(model.layers.size()),
        weight_gradient_(model.layers.size()) {
    if (exchanged()) buckets_ = gradient_buckets(model, plan);
    mark_trained();
  }

  void add_input() {
    StepNode node;
    node.kind = NodeKind::host_work;
    node.stream = Stream::host;
    node.part = StepPart::input;
    node.name = "input batch";
    node.samples = plan_.batch_per_accelerator;
    input_ = add_node(std::move(node), {});
  }

  void add_forward() {
    for (const auto& group : groups_) {
      const Layer& leader = layer(group.layers.front());
      std::vector<Vertex> after;
      for (const int input : outside_inputs(group)) {
        after.push_back(input < 0 ? input_ : forward_[static_cast<std::size_t>(group_of_[index(input)])]);
      }
      const KernelWork work = is_matrix_product(leader.kind)
                                  ? matrix_work(leader, Pass::forward, plan_.batch_per_accelerator, plan_.precision)
                                  : elementwise(group, false);
      forward_.push_back(add_kernel(StepPart::forward, name_of(group) + " forward", work, after));
    }
  }

  void add_backward() {
    for (std::size_t g = groups_.size(); g-- > 0;) {
      const KernelGroup& group = groups_[g];
      if (!trained_[index(group.layers.back())]) continue;
      std::vector<Vertex> after = gradient_sources_[index(group.layers.back())];
      if (after.empty()) after.push_back(forward_[g]);  // the loss
      if (is_matrix_product(layer(group.layers.front()).kind)) {
        add_matrix_backward(group, after);
      } else {
        add_elementwise_backward(group, after);
      }
      if (plan_.overlap) add_exchanges(group.layers.front());
    }
    if (!plan_.overlap) add_exchanges(0);
  }

  void add_update() {
    const int ranks = sharded() ? plan_.data_parallel : 1;
    const std::int64_t parameters = (model_.parameters() + ranks - 1) / ranks;  // the largest shard
    const int tensors = model_.gradient_tensors();
    const Bytes momentum_bytes = update_bytes_per_parameter(Optimizer::momentum);
    std::vector<Vertex> after = exchanged() ? exchanges_ : all_weight_gradients();
    Bytes bytes = update_bytes_per_parameter(plan_.optimizer);
    if (plan_.optimizer == Optimizer::lars) {
      const auto norms = optimizer_work(parameters, tensors, bytes - momentum_bytes);
      after = {add_kernel(StepPart::optimizer, "lars norms", norms, after)};
      // Two sums of squares per tensor, fp32: of the weights and of the gradients.
      if (sharded()) after = {add_collective(CollectiveKind::all_reduce, "lars norms", Bytes(8.0 * tensors), after)};
      bytes = momentum_bytes;
    }
    const Vertex update = add_kernel(StepPart::optimizer, fmt::format("{} update", name(plan_.optimizer)),
                                     optimizer_work(parameters, tensors, bytes), after);
    if (!sharded()) return;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      const Bytes weights = element_size(plan_.precision) * double(buckets_[b].parameters);
      add_collective(CollectiveKind::all_gather, fmt::format("weights {}", b), weights, {update});
    }
  }

  StepGraph take() { return std::move(graph_); }

 private:
  static std::size_t index(int layer) { return static_cast<std::size_t>(layer); }
  const Layer& layer(int i) const { return model_.layers[index(i)]; }
  bool exchanged() const { return plan_.data_parallel > 1; }
  bool sharded() const { return exchanged() && plan_.sharded_update; }

  // A layer takes part in the backward pass where it or a layer before it has parameters.
  void mark_trained() {
    for (const auto& each : model_.layers) {
      const bool before = std::any_of(each.inputs.begin(), each.inputs.end(),
                                      [&](int input) { return input >= 0 && trained_[index(input)]; });
      trained_.push_back(before || each.parameters() > 0);
    }
  }

  std::vector<int> outside_inputs(const KernelGroup& group) const {
    std::vector<int> inputs;
    for (const int member : group.layers) {
      for (const int input : layer(member).inputs) {
        if (input < 0 || group_of_[index(input)] != group_of_[index(member)]) inputs.push_back(input);
      }
    }
    return inputs;
  }

  // "stage1.block0.bn3+add+relu3"
  std::string name_of(const KernelGroup& group) const {
    std::string text = layer(group.layers.front()).name;
    for (std::size_t i = 1; i < group.layers.size(); ++i) {
      const auto& member = layer(group.layers[i]).name;
      text += "+" + member.substr(member.rfind('.') + 1);
    }
    return text;
  }

  KernelWork elementwise(const KernelGroup& group, bool backward) const {
    TensorPasses elements;
    for (const int member : group.layers) {
      const Layer& each = layer(member);
      // A ReLU or an addition that leads found no kernel to merge into.
      const bool leads = member == group.layers.front();
      const bool merged = plan_.fusion && !(leads && (each.kind == LayerKind::relu || each.kind == LayerKind::add));
      const double tensor = plan_.batch_per_accelerator * double(each.input.elements());
      elements += elementwise_passes(each.kind, backward, merged) * tensor;
    }
    return elementwise_work(elements, plan_.precision);
  }

  void add_matrix_backward(const KernelGroup& group, const std::vector<Vertex>& after) {
    const int leader = group.layers.front();
    const auto work = [&](Pass pass) {
      return matrix_work(layer(leader), pass, plan_.batch_per_accelerator, plan_.precision);
    };
    const int input = layer(leader).inputs.front();
    if (input >= 0 && trained_[index(input)]) {
      gradient_sources_[index(input)].push_back(
          add_kernel(StepPart::backward, name_of(group) + " input gradient", work(Pass::input_gradient), after));
    }
    weight_gradient_[index(leader)] =
        add_kernel(StepPart::backward, name_of(group) + " weight gradient", work(Pass::weight_gradient), after);
  }

  void add_elementwise_backward(const KernelGroup& group, const std::vector<Vertex>& after) {
    const Vertex vertex = add_kernel(StepPart::backward, name_of(group) + " backward", elementwise(group, true), after);
    weight_gradient_[index(group.layers.front())] = vertex;
    for (const int input : outside_inputs(group)) {
      if (input >= 0 && trained_[index(input)]) gradient_sources_[index(input)].push_back(vertex);
    }
  }

  // The exchanges of all buckets that are complete once the backward pass is through with layer `reached`.
  void add_exchanges(int reached) {
    const auto kind = sharded() ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    while (exchanges_.size() < buckets_.size()) {
      const auto& bucket = buckets_[exchanges_.size()];
      if (bucket.last_layer < reached) return;
      std::vector<Vertex> after;
      for (const int each : bucket.layers) after.push_back(weight_gradient_[index(each)]);
      if (!plan_.overlap) after.push_back(last_backward_);
      exchanges_.push_back(
          add_collective(kind, fmt::format("gradients {}", exchanges_.size()), bucket.bytes, std::move(after)));
    }
  }

  std::vector<Vertex> all_weight_gradients() const {
    std::vector<Vertex> vertices;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (model_.layers[i].parameters() > 0) vertices.push_back(weight_gradient_[i]);
    }
    return vertices;
  }

  Vertex add_kernel(StepPart part, std::string name, const KernelWork& work, const std::vector<Vertex>& after) {
    StepNode node;
    node.part = part;
    node.name = std::move(name);
    node.work = work;
    const Vertex vertex = add_node(std::move(node), after);
    if (part == StepPart::backward) last_backward_ = vertex;
    return vertex;
  }

  Vertex add_collective(CollectiveKind kind, std::string name, Bytes payload, const std::vector<Vertex>& after) {
    StepNode node;
    node.kind = NodeKind::collective;
    node.stream = Stream::communication;
    node.part = StepPart::gradient_exchange;
    node.name = fmt::format("{} {}", mlsim::name(kind), name);
    node.collective = kind;
    node.payload = payload;
    node.axis = kDataAxis;
    return add_node(std::move(node), after);
  }

  Vertex add_node(StepNode node, std::vector<Vertex> after) {
    const Vertex vertex = boost::add_vertex(std::move(node), graph_);
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    for (const Vertex before : after) boost::add_edge(before, vertex, graph_);
    return vertex;
  }

  const Model& model_;
  const StepPlan& plan_;
  std::vector<KernelGroup> groups_;
  std::vector<int> group_of_;
  std::vector<bool> trained_;
  std::vector<GradientBucket> buckets_;
  StepGraph graph_;
  Vertex input_ = 0;
  Vertex last_backward_ = 0;
  std::vector<Vertex> forward_;                        // by group
  std::vector<std::vector<Vertex>> gradient_sources_;  // by layer: what makes the gradient of its output
  std::vector<Vertex> weight_gradient_;                // by layer, where it has parameters
  std::vector<Vertex> exchanges_;                      // by bucket
};

}  // namespace

StepGraph lower(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  Lowering lowering(model, plan);
  lowering.add_input();
  lowering.add_forward();
  lowering.add_backward();
  lowering.add_update();
  return lowering.take();
}

}  // namespace mlsim
