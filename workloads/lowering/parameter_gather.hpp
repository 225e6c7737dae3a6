// A ParameterGather brings the sharded parameters of a block together before a pass runs through it.
#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_builder.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::workloads {

/// A GatherUnit is the consecutive layers of a block, whose parameters are gathered together.
struct GatherUnit {
  std::string name;  // of its first layer
  int first = 0;     // layer
  struct Part {
    AxisSet axes;
    double parameters = 0;  // of all ranks together, as the layers of the unit read them
  };
  std::vector<Part> parts;  // by the ranks that share them out
  double parameters() const;
};

/// Returns them in the order of the model. Parameters that a unit shares with an earlier one are gathered for both.
std::vector<GatherUnit> gather_units(const ShardedModel& sharded, const StepPlan& plan);

/// Returns the parameters that are whole in memory at once: those of a unit and of the next, which is gathered
/// meanwhile; without reshard all.
double gathered_at_once(const std::vector<GatherUnit>& units, bool reshard);

/// The lowering tells it of each layer that a pass comes to; it adds the gathers, one unit ahead of the kernels: that
/// of a unit starts when the kernels two units before it are through (PyTorch's FSDP prefetches one all-gather).
class ParameterGather {
 public:
  /// The arguments must outlive the gather. Where no blocks are gathered in passes it adds nothing; whole
  /// parameters are gathered by the first micro-batch alone, each stage of a pipeline for itself.
  ParameterGather(const ShardedModel& sharded, const StepPlan& plan, StepBuilder& builder);

  /// Returns what the kernels of `layer` wait for besides what they read. `start` is what the first gathers wait for.
  Vertices before_forward(int layer, const Vertices& start);
  Vertices before_backward(int layer);

 private:
  Vertices enter(std::size_t unit, StepPart part, int direction, const Vertices& start);
  void gather(std::size_t unit, StepPart part, const Vertices& after);

  const StepPlan& plan_;
  StepBuilder& builder_;
  std::vector<GatherUnit> units_;
  std::vector<std::size_t> unit_of_;  // by layer
  std::vector<Vertices> gathered_;    // by unit, in this pass, once its gather is there
  std::vector<bool> asked_;           // by unit, in this pass
  std::size_t now_ = 0;
  bool in_pass_ = false, backward_ = false;
  bool kept_ = false;  // what is gathered stays for the micro-batches to come
};

}  // namespace mlsim::workloads
