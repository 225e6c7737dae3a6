// The terms of a step are what it takes besides its kernels by themselves and its bytes on the links.
#pragma once

#include "core/profile/profile.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// Launches are kernels that a step starts, `in_turn` of which wait for one another.
struct Launches {
  double all = 0, in_turn = 0;
  Launches& operator+=(const Launches& more) {
    all += more.all;
    in_turn += more.in_turn;
    return *this;
  }
  Launches operator*(double times) const { return {all * times, in_turn * times}; }
};

struct StepTerms {
  Seconds step_overhead;      // of the framework, once a step
  Seconds dispatch;           // of the framework, once a step for each kernel that is launched
  Seconds per_kernel;         // of the framework, besides the accelerator's own launch, where kernels go in turn
  Seconds host_per_kernel;    // of the host for each kernel of a pass, beside the accelerator
  Seconds input_per_sample;   // of a node's real data that the step waits for; 0 where it waits for none
  int accelerators_per_node;  // that share a host's input
  Seconds call;               // of the library and the framework, for each collective as a whole
  Seconds per_exchange;       // the framework's part of it, which no measured collective holds
  int ranks;
  double skew;                      // of kernels where there are several ranks: sample_skew()
  double overlap_slowdown;          // of kernels beside an exchange, as a fraction of their time
  BytesPerSecond host_link = {};    // of one accelerator with its host's memory, each direction
  BytesPerSecond host_update = {};  // moved by the update of one accelerator's weights on its host; 0: none is there

  /// Gives what the framework adds to a step before its first kernel. The host dispatches kernels while the framework
  /// holds up those before them, so a launch counts once, as the longer of the two.
  Seconds framework_time(const Launches& launches) const {
    return step_overhead + max(dispatch * launches.all - per_kernel * launches.in_turn, Seconds(0));
  }
  /// Gives what the host takes to launch one kernel; `own` is the accelerator's part of it.
  Seconds launch_time(Seconds own) const { return own + max(per_kernel, dispatch); }
  /// Gives what the host takes to bring the node's samples where the step waits for them.
  Seconds input_time(const StepNode& node) const;
};

StepTerms step_terms(const Plan& plan);

/// Gives what software reaches of the link between an accelerator and its host's memory, each direction.
BytesPerSecond reached_host_link(const Plan& plan);

/// Gives the fraction by which the passes of the plan's ranks take longer beside one another with the plan's stack.
double stack_contention(const Plan& plan);

/// Gives the terms of one rank with a whole model, whose input keeps up.
StepTerms single_rank_terms(const StackTerm& stack);

}  // namespace mlsim::sim
