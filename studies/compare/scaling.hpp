// A `Scaling` holds the same job on 1, 2, 4 ... accelerators of one system, and with other batches.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// A `JobPoint` is the job at one size. Exactly one of `prediction` and `refusal` holds something.
struct JobPoint {
  int accelerators = 1;
  std::optional<double> global_batch;  // as asked; empty: as the question has it, or as mlsim chooses for the size
  std::optional<Prediction> prediction;
  std::string refusal;
};

struct Scaling {
  std::vector<JobPoint> sizes;      // the batch as the question has it, the fewest accelerators first
  std::vector<JobPoint> batches;    // other batches at these sizes; refused ones are left out
  std::optional<std::size_t> knee;  // of `sizes`; empty where fewer than two of them were answered
};

struct ScalingOptions {
  std::vector<int> sizes;                                // ascending; empty: scaling_sizes() of the answer's
  int workers = 0;                                       // processes at a time; 0: one for each processor
  std::function<void(const std::string& sentence)> say;  // of a size that is asked again; may be empty
};

/// Lists powers of two up to `most`, and `most` halved as often as that leaves no remainder: slices of pods and whole
/// nodes.
std::vector<int> scaling_sizes(int most);

/// Finds the size with the least product of time to target and bill (where no price is known, accelerator time billed;
/// without a target, time and accelerator time of a sample), which is speed-up times efficiency at its greatest (D. L.
/// Eager, J. Zahorjan, E. D. Lazowska, "Speedup versus efficiency in parallel systems", IEEE Transactions on Computers
/// 38(3), 1989).
std::optional<std::size_t> knee_of(const std::vector<JobPoint>& sizes);

/// Asks `request` at the sizes of the options, else at all up to that of `answer`, its own, and, where it has a target
/// and a batch that was asked for, with that batch and a half, a quarter and an eighth of it at each size. Throws
/// MachineFailed or Unavailable where that says nothing of the job.
Scaling scaling(const PredictRequest& request, const Prediction& answer, const ScalingOptions& options = {});

}  // namespace mlsim::studies
