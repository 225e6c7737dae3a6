// proposed_split() splits a model of which one sample does not fit an accelerator.
#pragma once

#include <optional>

#include "sim/namespace.hpp"
#include "sim/plan/model_part.hpp"

namespace mlsim::sim {

struct ProposedSplit {
  Axis axis = Axis::data;
  int ranks = 1;  // along it, taken from the data axis
};

/// Proposes to share the data axis of `step` with the axis that the model's size lies in: experts of a mixture, or
/// embedding tables. Of its lengths, in doublings, the least with which one sample fits is proposed. Empty where one
/// fits already, where the model has neither, or where no length that divides the data axis is enough.
std::optional<ProposedSplit> proposed_split(const PartSource& source, const StepPlan& step);

/// Takes the ranks from the data axis.
Parallelism with_split(Parallelism parallelism, const ProposedSplit& split);

}  // namespace mlsim::sim
