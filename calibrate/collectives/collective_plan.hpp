// collective_plan() says which collectives a launch under mpirun measures; the fits take what came of it as sweeps.
#pragma once

#include <string>
#include <vector>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/payload_sizes.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/measure_plan.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/provenance.hpp"

namespace mlsim::calibrate {

struct CollectiveChoices {
  std::vector<CollectiveKind> kinds;  // send_receive: point to point
  std::vector<std::string> libraries;
  std::vector<Precision> precisions;
  PayloadGrid grid;
  std::string sizes;  // a list of payload_sizes.hpp instead of the grid, and what it is cut to:
  Bytes smallest{0}, largest{1e18};
  StoppingRule rule;
  std::uint64_t seed = 1;
};

/// Lists the kinds that can be measured, all-reduce first and point to point last, by their names on the command line.
const std::vector<CollectiveKind>& measured_kinds();

/// Plans every kind by every library in every precision at every size, in an order drawn from the seed; NCCL works on
/// buffers of CUDA, the others on those of the host. Task 0's sizes are measured kTask0Repetitions times each. Throws
/// InputError for unknown sizes, or where no size is left.
MeasurePlan collective_plan(const CollectiveChoices& choices);

/// A `RankGrid` says how the ranks of this launch lie.
struct RankGrid {
  int nodes = 1, ranks_per_node = 1;
};

/// Makes one sweep for each kind, library, device and precision among the replies that are collectives and were
/// measured, payloads ascending, each of one launch.
std::vector<CollectiveSweep> measured_sweeps(const std::vector<MeasureReply>& replies, RankGrid grid,
                                             const Source& source);

}  // namespace mlsim::calibrate
