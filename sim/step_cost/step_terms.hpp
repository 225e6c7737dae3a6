// The terms of a step are what it takes besides its kernels by themselves and its bytes on the links.
#pragma once

#include "core/profile/profile.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

struct StepTerms {
  Seconds step_overhead;      // of the framework, once a step
  Seconds dispatch;           // of the framework, once a step for each kernel that is launched
  Seconds per_kernel;         // of the framework, besides the accelerator's own launch
  Seconds input_per_sample;   // of a node's real data that the step waits for; 0 where it waits for none
  int accelerators_per_node;  // that share a host's input
  Seconds call;               // of the library, for each collective as a whole
  int ranks;
  double skew;              // of kernels where there are several ranks: sample_skew()
  double overlap_slowdown;  // of kernels beside an exchange, as a fraction of their time

  /// Gives what the framework adds to a step of so many launches.
  Seconds framework_time(double launches) const { return step_overhead + dispatch * launches; }
  /// Gives what the host takes to launch one kernel; `own` is the accelerator's part of it.
  Seconds launch_time(Seconds own) const { return own + per_kernel + dispatch; }
  /// Gives what the host takes to bring the node's samples where the step waits for them.
  Seconds input_time(const StepNode& node) const;
};

StepTerms step_terms(const Plan& plan);

/// Gives the fraction by which the passes of the plan's ranks take longer beside one another with the plan's stack.
double stack_contention(const Plan& plan);

/// Gives the terms of one rank with a whole model, whose input keeps up.
StepTerms single_rank_terms(const StackTerm& stack);

}  // namespace mlsim::sim
