// The layout search lists the quickest ways to lay a language model out that fit its accelerators' memory.
#pragma once

#include <vector>

#include "sim/expert/layout.hpp"
#include "sim/expert/layout_estimate.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A `FoundLayout` fits, by the same account as a plan's memory check.
struct FoundLayout {
  Layout layout;
  LayoutEstimate estimate;  // its memory is exact
};

/// Says whether layouts of the plan's model are searched: of a language model on several accelerators.
bool is_searched(const Plan& plan);

/// Tries tensor x pipeline x interleave x context x expert ranks, sharding, recompute and samples of a micro-batch for
/// a step of so many samples, estimates all, and returns the quickest that fit `room` of the memory, at most `most`, in
/// the order of their estimates. What `request` sets stays. Empty where none fits.
std::vector<FoundLayout> searched_layouts(const PredictRequest& request, const Plan& plan, double global_batch,
                                          Bytes room, std::size_t most);

}  // namespace mlsim::sim
