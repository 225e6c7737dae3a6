// Open software is that of a question that names none: what is on record of the same network on the same accelerator
// stands in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/evidence/run_traits.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Somebody ran the network on the accelerator with this stack, with fused operators or without.
struct StackOnRecord {
  std::string stack;
  double distance = 0;         // of its nearest run from the question, in doublings of the batch
  double batch_apart = 0;      // likewise, but of batches alone: of one accelerator's and of all accelerators' together
  std::optional<bool> fusion;  // where the question leaves it open and the run tells it
};

/// Lists the stacks of a question that names none, in the precision asked, nearest first, at most kMostStacks; a stack
/// that ran with fused operators and without counts as two where the question leaves that open. Where the question asks
/// for the target of `recipe`, only stacks that ran to it count if there are any: MLPerf's, whose results are runs to a
/// target, for MLPerf's recipes; unless runs of others have the nearer batches, as where single accelerators are asked
/// of. With `last_year` stacks of later years do not count, if there are others. The list is empty where the nearest run
/// is the user's own, or there is none.
std::vector<StackOnRecord> stacks_on_record(const RunTraits& asked, const Evidence& evidence,
                                            const std::string& recipe = {}, std::optional<int> last_year = {});

inline constexpr std::size_t kMostStacks = 6;

/// A `StackStep` is a stack and the time of the question's step with it.
struct StackStep {
  StackOnRecord stack;
  Seconds step;
};

/// Open software is answered by the median of `steps`, each weighing a quarter for every doubling of distance, so that
/// it is the step of a stack that exists.
struct OpenSoftware {
  StackOnRecord stack;  // of the median step
  std::size_t stacks = 0;
  bool code_bases_differ = false;   // else they are releases of one,
  bool fusion_alone = false;        // or one release with fused operators and without
  bool fusions_differ = false;      // some ran with fused operators, some without
  Seconds step, shortest, longest;  // of the median, of the quickest and of the slowest stack
};
OpenSoftware median_software(std::vector<StackStep> steps);

}  // namespace mlsim::sim
