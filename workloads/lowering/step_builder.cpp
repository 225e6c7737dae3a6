#include "workloads/lowering/step_builder.hpp"

#include <fmt/format.h>

#include <utility>

#include "costs/kernel_work.hpp"

namespace mlsim::workloads {
StepVertex StepBuilder::add_input(double samples) {
  StepNode node;
  node.kind = NodeKind::host_work;
  node.stream = Stream::host;
  node.part = StepPart::input;
  node.name = "input batch";
  node.samples = samples;
  return graph_.add(std::move(node), {});
}

StepVertex StepBuilder::add_host_layer(std::string name, Stream stream, Seconds time, const Vertices& after) {
  StepNode node;
  node.kind = NodeKind::host_work;
  node.stream = stream;
  node.part = StepPart::forward;
  node.name = std::move(name);
  node.host_time = time;
  node.repeats = repeats_;
  return graph_.add(std::move(node), after);
}

StepVertex StepBuilder::add_host_copy(std::string name, Bytes bytes, const Vertices& after) {
  StepNode node;
  node.kind = NodeKind::host_work;
  node.part = StepPart::optimizer;
  node.name = std::move(name);
  node.payload = bytes;
  return graph_.add(std::move(node), after);
}

StepVertex StepBuilder::add_kernel(StepPart part, std::string name, const KernelWork& work, const Vertices& after) {
  StepNode node;
  node.part = part;
  node.name = std::move(name);
  node.work = work;
  node.repeats = repeats_;
  const StepVertex vertex = graph_.add(std::move(node), after);
  if (part == StepPart::backward) last_backward_ = vertex;
  if (is_pass(part)) last_of_pass_ = {vertex};
  return vertex;
}

Vertices StepBuilder::add_kernels(StepPart part, const std::string& name, const Kernels& kernels, Vertices after) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto numbered = kernels.size() == 1 ? name : fmt::format("{} {}", name, i);
    after = {add_kernel(part, numbered, kernels[i], after)};
  }
  return after;
}

StepVertex StepBuilder::add_collective(CollectiveKind kind, const std::string& what, AxisSet axes, Bytes payload,
                                       const Vertices& after) {
  StepNode node;
  node.kind = NodeKind::collective;
  node.stream = Stream::communication;
  node.part = StepPart::gradient_exchange;
  node.name = fmt::format("{} {}", mlsim::name(kind), what);
  node.collective = kind;
  node.payload = payload;
  node.axes = axes;
  node.repeats = repeats_;
  return graph_.add(std::move(node), after);
}

StepVertex StepBuilder::add_exchange(StepPart part, CollectiveKind kind, const std::string& what, AxisSet axes,
                                     Bytes payload, const Vertices& after, bool beside, int copies) {
  const StepVertex vertex = add_collective(kind, what, axes, payload, after);
  graph_[vertex].stream = Stream::exchange;
  graph_[vertex].beside = beside;
  graph_[vertex].copies = copies;
  graph_[vertex].part = part;
  return vertex;
}

Vertices StepBuilder::add_weight_gradient(const std::string& name, const Kernels& kernels, Vertices after) {
  const StepVertex first = graph_.size();
  after = add_kernels(StepPart::backward, name, kernels, std::move(after));
  for (StepVertex v = first; v < graph_.size(); ++v) graph_[v].weight_gradient = true;
  return after;
}

StepVertex StepBuilder::add_gather(StepPart part, const std::string& what, AxisSet axes, Bytes payload,
                                   const Vertices& after) {
  const StepVertex vertex = add_collective(CollectiveKind::all_gather, what, axes, payload, after);
  graph_[vertex].part = part;
  return vertex;
}

StepVertex StepBuilder::add_wait(std::string name, Seconds time, const Vertices& after) {
  StepNode node;
  node.kind = NodeKind::host_work;
  node.stream = Stream::host;
  node.part = StepPart::gradient_exchange;
  node.name = std::move(name);
  node.host_time = time;
  return graph_.add(std::move(node), after);
}

StepVertex StepBuilder::add_copy(std::string name, Bytes bytes, const Vertices& after) {
  StepNode node;
  node.stream = Stream::communication;
  node.part = StepPart::gradient_exchange;
  node.name = std::move(name);
  const double elements = bytes / element_size(Precision::fp32);
  node.work = costs::elementwise_work({elements, elements}, Precision::fp32);
  node.repeats = repeats_;
  return graph_.add(std::move(node), after);
}

Vertices StepBuilder::add_copies(const std::string& name, Bytes bytes, int count, Vertices after) {
  for (int i = 0; i < count; ++i) after = {add_copy(name, bytes / count, after)};
  return after;
}

}  // namespace mlsim::workloads
