// A `Layout` says how a model is put into the memory of its accelerators: split, with its update sharded, with fused
// attention, with activations computed again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

struct Layout {
  std::string parallelism;  // "embedding=8" beside what was asked; empty: as asked
  bool flash = false;
  std::optional<StateSharding> sharding;  // empty: as asked
  std::optional<Recompute> recompute;     // likewise
  int recompute_blocks = 0;               // of each stage's chunk; 0: all
  int groups = 1;                         // of ranks that share samples
  int micro_batches = 1;                  // at least
  int most_samples = 0;                   // of a group that fit in one micro-batch

  /// Tells whether it is as was asked.
  bool plain() const { return parallelism.empty() && !flash && !sharding && !recompute; }
  /// Writes "tensor=4, attention=flash"; empty where it is as asked.
  std::string text() const;
  /// Gives the question with it.
  PredictRequest of(PredictRequest request) const;
};

/// Lists the layouts with which a sample of `plan`, of `request`, fits `room` on each accelerator, or where none does
/// all its memory: the plan's own layout where it fits, and of each split, the model whole, its embedding tables or
/// experts over the fewest ranks that hold them, or its matrices over those of a node, the one that costs least: its
/// update sharded, attention fused, activations computed again, of a batch that is told in as few blocks as will do.
/// What the question says stays. The list is empty where none fits.
std::vector<Layout> layouts_that_fit(const PredictRequest& request, const Plan& plan, Bytes room);

}  // namespace mlsim::sim
