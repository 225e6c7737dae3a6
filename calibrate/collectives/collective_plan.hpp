// collective_plan() says which collectives a launch under mpirun measures, and at which payloads; the fits take what
// came of it as sweeps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/measure_plan.hpp"
#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// MLBench's task 0 (mlbench.github.io, benchmark tasks) sends tensors of 1 to 1e8 elements in 80 sizes, even in their
/// logarithm, rounded to whole elements; where two round to the same number the later is one more.
std::vector<Bytes> task0_payloads(Precision precision);
/// Task 0 measures each payload this often.
constexpr int kTask0Repetitions = 100;

/// A grid is nccl-tests' -b, -e and -f; its defaults are the example of nccl-tests' README.
struct PayloadGrid {
  Bytes begin{8}, end = mebibytes(128);
  double factor = 2;
};
/// The quick grid goes from 1 KiB to 16 MiB, each four times the last.
inline constexpr PayloadGrid kQuickGrid{Bytes(1024), mebibytes(16), 4};

/// Lists `begin`, and then `factor` times more, whole bytes, until past `end`. Throws InputError unless begin is a byte
/// or more, end no less and the factor above 1, and where these are more than kMostPayloads.
std::vector<Bytes> grid_payloads(const PayloadGrid& grid);
/// More in one sweep are a slip of the factor.
inline constexpr std::size_t kMostPayloads = 10000;

/// Reads a size as nccl-tests takes it, "8", "1K", "128M", "1.5G" (powers of 1024; upper or lower case), or with a
/// unit, "16 MiB", "100 MB". Bytes are rounded down to whole ones. Throws InputError where it is neither or below one.
Bytes parse_payload(std::string_view text);

/// `name` is "task0", "nccl-tests" (a PayloadGrid as it is) or "quick" (kQuickGrid); the sizes ascend. Throws
/// InputError with the nearest name.
std::vector<Bytes> payload_sizes(std::string_view name, Precision precision);
const std::vector<std::string>& payload_size_names();

struct CollectiveChoices {
  std::vector<CollectiveKind> kinds;  // send_receive: point to point
  std::vector<std::string> libraries;
  std::vector<Precision> precisions;
  PayloadGrid grid;
  std::string sizes;  // a list of payload_sizes() instead of the grid, and what it is cut to:
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
