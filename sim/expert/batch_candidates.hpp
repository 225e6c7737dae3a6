// The batches that an expert would weigh: those that runs on record had.
#pragma once

#include <optional>
#include <vector>

#include "sim/evidence/evidence.hpp"
#include "sim/expert/layout.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// A `BatchCandidate` divides over the ranks of a layout, in so many micro-batches.
struct BatchCandidate {
  double global = 1;
  int micro_batches = 1;
};

/// Says that the samples to the target depend on the batch, by a recipe's published runs.
bool goes_by_batch(const Plan& plan, const JobOptions& job);

/// Lists up to kMostBatches batches of the recipe's published runs, ascending; empty where samples to the target do not
/// go by the batch.
std::vector<double> recipe_batches(const Plan& plan, const JobOptions& job);
inline constexpr std::size_t kMostBatches = 8;

/// Gives the samples to the target of the plan's recipe with a global batch; errors are those of
/// workloads::samples_to_target.
double samples_of_job(const Plan& plan, double global_batch);

/// Gives a global batch that is asked for, or the next that divides, in as few micro-batches as fit the layout; empty
/// where it is less than a sample for each group of ranks, or where a pipeline's micro-batches do not hold it.
std::optional<BatchCandidate> held_batch(const Layout& layout, double global);

/// Lists the batches to choose from, ascending: what is usual for the layout, and the recipe's.
std::vector<BatchCandidate> batch_candidates(const Plan& plan, const JobOptions& job, const Layout& layout,
                                             std::optional<double> each_on_record);

/// Gives the global batch, not rounded, in which a language model of this size is trained from the start, by the tokens
/// of the published recipe of the nearest size; no less than 16 384 tokens on each of up to 2048 accelerators, or of a
/// large model a sample on every 8 of all. Where only adapters are trained it is the two sequences of 8192 tokens that an
/// accelerator has in published runs.
double usual_language_batch(const Model& model, int ranks);

/// Gives the samples of an accelerator of the nearest run on record, in size and then in batch, of the plan's network,
/// version and format on its chip; empty where there is none.
std::optional<double> batch_on_record(const Evidence& evidence, const Plan& plan);

/// Gives the largest global batch of MLPerf's runs on record of the plan's network on as many accelerators, or down to
/// half of them: on chips of its kind, or where there are none on any; empty where there is no run, or where the recipe is
/// not of a round.
std::optional<double> most_on_record(const Evidence& evidence, const Plan& plan);

}  // namespace mlsim::sim
