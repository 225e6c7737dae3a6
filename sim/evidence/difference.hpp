// A `Difference` says in what a run differs from the run that is asked for; orders of runs compare its members.
#pragma once

#include <tuple>

#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Members are false and 0 where the two agree; what a question does not say agrees with all.
struct Difference {
  // These compare the network.
  bool workload = false, computed = false;  // another name; another network without padding
  bool version = false;                     // both
  double tokens_apart = 0;                  // doublings of a sample's tokens, where both tell them

  // These compare the machine.
  bool accelerator = false;  // of another name
  int chip = 0;  // 1: another accelerator whose kernels are as fast, 2: its sister (ChipTraits), 3: another one
  bool machine = false;
  bool larger = false;  // more accelerators than are asked for

  // These compare the software.
  bool format = false, precision = false;  // another precision; one whose speed says nothing of that asked for
  double stack = 0;                        // 1 for another code base; between rounds of one from 0.5 on
  bool release = false;                    // a stack is named and the run's is another
  bool code_base = false, tables = false;  // such a stack of other code, or whose rows stand in other tables
  bool stack_in_use = false;               // another than the one that is named or stands in
  bool fusion = false;                     // elementwise operators are fused in one of the two alone
  bool source = false;

  // `named_settings` counts the settings that differ of those that tell runs apart once named (TellsApart); `settings`
  // says whether one of these or of those that always tell differs. The others say whether any of the table does, any
  // but those of the size, and any of these but the stack.
  int named_settings = 0;
  bool settings = false;
  bool any_setting = false, beside_size = false, beside_stack = false;

  // The size follows; `apart` counts doublings, whichever of the two is larger, and 0 where one is not told.
  double doublings = 0;                               // log2(asked accelerators / the run's)
  double batch_ratio = 1;                             // asked micro-batch / the run's
  double size_apart = 0;                              // of accelerators
  double batch_apart = 0, batch_each_apart = 0;       // of the micro-batch, and of the batch of an accelerator
  double accelerators = 1;                            // of the run
  double fewer_accelerators = -1, fewer_samples = 0;  // minus the run's accelerators, and minus its batch
  bool split = false;                                 // the question splits the model, the run does not
  bool to_target = false;                             // one states a time to a target, the other none
};

/// Counts the doublings between two sizes, either way; 0 where one is not told.
double doublings_apart(double asked, double other);

Difference difference(const RunTraits& asked, const RunTraits& run);

/// Orders runs: the nearer one is lower in the first of these members of Difference that differs.
template <auto... Members>
struct NearerBy {
  bool operator()(const Difference& a, const Difference& b) const {
    return std::tie(a.*Members...) < std::tie(b.*Members...);
  }
};

}  // namespace mlsim::sim
