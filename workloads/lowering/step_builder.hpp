// A StepBuilder adds nodes to a step graph.
#pragma once

#include <string>

#include "workloads/lowering/step_graph.hpp"
#include "workloads/model/layer_work.hpp"

namespace mlsim::workloads {

class StepBuilder {
 public:
  /// The builder adds to `graph`, which must outlive it: copies of a large model's graph cost as much as making it.
  explicit StepBuilder(StepGraph& graph) : graph_(graph) {}

  /// Nodes of kernels, exchanges and layers on the host stand for so many runs from here on.
  void set_repeats(int repeats) { repeats_ = repeats; }

  StepVertex add_input(double samples);
  StepVertex add_host_layer(std::string name, Stream stream, Seconds time, const Vertices& after);
  /// Adds a copy between the accelerator and its host's memory, before or behind the update.
  StepVertex add_host_copy(std::string name, Bytes bytes, const Vertices& after);
  StepVertex add_kernel(StepPart part, std::string name, const KernelWork& work, const Vertices& after);
  /// Adds one node for each kernel, each behind the one before; the first behind `after`. Several are numbered. Returns
  /// what to wait for: the last, or `after` where there is no kernel.
  Vertices add_kernels(StepPart part, const std::string& name, const Kernels& kernels, Vertices after);
  /// Adds an exchange of gradients or weights, concurrent with the passes.
  StepVertex add_collective(CollectiveKind kind, const std::string& what, AxisSet axes, Bytes payload,
                            const Vertices& after);
  /// Adds an exchange that a pass waits for, or that runs `beside` its kernels.
  StepVertex add_exchange(StepPart part, CollectiveKind kind, const std::string& what, AxisSet axes, Bytes payload,
                          const Vertices& after, bool beside = false, int copies = 1);
  /// Adds kernels of the backward pass that nothing in it waits for.
  Vertices add_weight_gradient(const std::string& name, const Kernels& kernels, Vertices after);

  /// Adds a gather of weights that a pass waits for, concurrent with its kernels.
  StepVertex add_gather(StepPart part, const std::string& what, AxisSet axes, Bytes payload, const Vertices& after);

  /// Gradients that are complete wait so long for their exchange, on the host.
  StepVertex add_wait(std::string name, Seconds time, const Vertices& after);
  /// Adds a copy in device memory, between the exchanges of gradients.
  StepVertex add_copy(std::string name, Bytes bytes, const Vertices& after);
  /// Adds a copy for each of `count` tensors, one behind the other, of `bytes` together.
  Vertices add_copies(const std::string& name, Bytes bytes, int count, Vertices after);

  StepVertex last_backward() const { return last_backward_; }
  /// Returns the last kernel of a pass; nothing before the first.
  Vertices last_of_pass() const { return last_of_pass_; }

 private:
  StepGraph& graph_;
  StepVertex last_backward_ = 0;
  Vertices last_of_pass_;
  int repeats_ = 1;
};

}  // namespace mlsim::workloads
