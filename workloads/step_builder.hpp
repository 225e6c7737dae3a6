// Adds nodes to a step graph.
#pragma once

#include <string>
#include <vector>

#include "workloads/layer_work.hpp"
#include "workloads/step_graph.hpp"

namespace mlsim {

using Vertex = StepGraph::vertex_descriptor;
using Vertices = std::vector<Vertex>;

class StepBuilder {
 public:
  /// Adds to `graph`, which must outlive it: copies of a large model's graph cost as much as making it.
  explicit StepBuilder(StepGraph& graph) : graph_(graph) {}

  /// Nodes of kernels and of layers on the host stand for so many runs from here on.
  void set_repeats(int repeats) { repeats_ = repeats; }

  Vertex add_input(double samples);
  Vertex add_host_layer(std::string name, Seconds time, const Vertices& after);
  Vertex add_kernel(StepPart part, std::string name, const KernelWork& work, const Vertices& after);
  /// One node for each kernel, each behind the one before; the first behind `after`. Several are numbered. The result
  /// is what to wait for: the last, or `after` where there is no kernel.
  Vertices add_kernels(StepPart part, const std::string& name, const Kernels& kernels, Vertices after);
  /// Of gradients or weights, beside the passes.
  Vertex add_collective(CollectiveKind kind, const std::string& what, AxisSet axes, Bytes payload,
                        const Vertices& after);
  /// Of what a pass waits for.
  Vertex add_exchange(StepPart part, CollectiveKind kind, const std::string& what, AxisSet axes, Bytes payload,
                      const Vertices& after);

  /// Gradients that are complete wait so long for their exchange, on the host.
  Vertex add_wait(std::string name, Seconds time, const Vertices& after);
  /// A copy in device memory, between the exchanges of gradients.
  Vertex add_copy(std::string name, Bytes bytes, const Vertices& after);

  Vertex last_backward() const { return last_backward_; }

 private:
  Vertex add(StepNode node, Vertices after);

  StepGraph& graph_;
  Vertex last_backward_ = 0;
  int repeats_ = 1;
};

}  // namespace mlsim
