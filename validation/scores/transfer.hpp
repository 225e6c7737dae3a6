// A `TransferCheck` tells how well kernels measured on one accelerator predict a step on another: published runs of
// both.
//
// For each pair, a run on one accelerator of the first kind says how fast its kernels are. They are taken as measured
// there, transferred (sim/kernel_cost/kernel_transfer.hpp), and the throughput that results is held against what was
// published on the second kind.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::validation {

struct TransferCheck {
  std::string from, to;                 // accelerators
  std::string measured_id, target_id;   // cases
  double published = 0, predicted = 0;  // samples/s
  double error() const { return predicted / published - 1; }
};

/// A score has the errors of one pair of generations, or of all.
struct TransferScore {
  std::string name;  // "V100 -> A100"
  ErrorSummary error;
  double log_rms = 0;  // root mean square of log(predicted / published)
};

struct TransferErrors {
  std::vector<TransferCheck> checks;
  std::vector<TransferScore> pairs;
  TransferScore all;
};

/// Takes the errors over all runs on one accelerator in `cases`: every one on a newer accelerator with one on an older
/// by the same code base (whatever its date) with the same workload, precision and settings and at most twice or half
/// the samples at a time; of several the nearest batch. The pairs are P100 -> V100 and V100 -> A100. No table has P100
/// and V100 by one code base: those are compared across code bases and versions of the network, whose differences count
/// as errors here.
TransferErrors transfer_errors(const std::vector<Case>& cases, const SharedList<Profile>& profiles);

/// Says what misses the bounds, one sentence each; nothing where all pass.
std::vector<std::string> misses(const TransferErrors& errors);

/// The schema is validation/scores/transfer_errors.schema.json.
std::string to_json(const TransferErrors& errors);

}  // namespace mlsim::validation
