// A LearntNetwork is really trained by a replay: data flow from kernel to kernel, and gradients from rank to rank.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "replay/execution/node_kernels.hpp"
#include "replay/execution/parameter_memory.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// Layers are dense, with or without a ReLU, one behind the other, and a loss. Sample i of the joined batch of all
/// ranks is the same however many ranks there are; rank r has the samples behind those of the ranks before it. Weights
/// begin as random numbers that all ranks have in common.
class LearntNetwork : public NodeKernels {
 public:
  /// Says whether the workload is such a network, laid out so that ranks differ in their samples alone and updated by a
  /// rule that needs no norms; with servers, in one bucket.
  static bool learns(const ReplayPlan& plan);

  /// Throws InputError for a number of threads that this machine lacks.
  LearntNetwork(const ReplayPlan& plan, int rank, int ranks, int threads);

  void run(workloads::StepVertex vertex) override;
  void bring(workloads::StepVertex vertex, calibrate::Exchange& exchange) override { memory_.bring(vertex, exchange); }
  void take(workloads::StepVertex vertex, calibrate::Exchange& exchange) override { memory_.take(vertex, exchange); }

  /// Returns all tensors in the order of the model; with servers, those of the last pull.
  std::vector<float> weights();

 private:
  struct Dense {
    std::string name;
    std::int64_t inputs = 0, outputs = 0;
    bool bias = false, relu = false;
    kernels::Buffer output, gradient;  // of the output
  };
  void read_layers();
  void initialise();
  void load_batch();
  void forward(std::size_t layer);
  void input_gradient(std::size_t layer);
  void weight_gradient(std::size_t layer);
  void close_gates(std::size_t layer);
  void loss();
  void loss_gradient();
  const float* input_of(std::size_t layer) const;
  std::size_t layer_of(const workloads::StepNode& node) const;

  const ReplayPlan& plan_;
  int rank_, threads_;
  std::int64_t batch_;
  ParameterMemory memory_;
  std::vector<Dense> layers_;
  bool softmax_ = false;  // else the loss is a sigmoid's
  kernels::Buffer features_, labels_;
  kernels::SoftmaxLossOperands softmax_loss_;
};

/// Runs one step of a single rank on the joined batch of `ranks` ranks and returns its weights, which theirs have to
/// equal after one step, too.
std::vector<float> joined_weights(const ReplayOrder& order, int ranks);

}  // namespace mlsim::replay
