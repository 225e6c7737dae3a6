// Software is open where a question names none: what is on record of the same network on the same accelerator stands
// in.
#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A stack that somebody ran the network on the accelerator with.
struct StackOnRecord {
  std::string stack;
  double distance = 0;  // of its nearest run from the question, in doublings of the batch
};

/// The stacks of a question that names none, nearest first, at most kMostStacks; of the precision asked. Of a question
/// after the target of `recipe` those alone that ran to it, where there are any: MLPerf's, whose results are runs to a
/// target, for MLPerf's recipes. Empty where the nearest run is the user's own, or there is none.
std::vector<StackOnRecord> stacks_on_record(const RunTraits& asked, const Evidence& evidence,
                                            const std::string& recipe = {});

inline constexpr std::size_t kMostStacks = 6;

/// A stack and what the question's step takes with it.
struct StackStep {
  StackOnRecord stack;
  Seconds step;
};

/// What a question comes out at whose software is open: the median of `steps`, each weighing a quarter for every
/// doubling of distance, so that it is the step of a stack that exists.
struct OpenSoftware {
  std::string stack;  // of the median step
  std::size_t stacks = 0;
  bool code_bases_differ = false;  // else they are releases of one
  Seconds shortest, longest;
};
OpenSoftware median_software(std::vector<StackStep> steps);

}  // namespace mlsim::sim
