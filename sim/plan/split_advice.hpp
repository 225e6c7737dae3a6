// split_that_fits() finds the parallelism that makes a model fit which is too large for one accelerator.
#pragma once

#include <optional>
#include <string>

#include "sim/namespace.hpp"
#include "sim/plan/model_part.hpp"

namespace mlsim::sim {

/// The text is "tensor=8,pipeline=4": the fewest accelerators, in doublings up to 4096, over which one sample of the
/// model fits with a step like `step`; empty where none do. Fewer than `fewest_ranks` are known not to.
std::optional<std::string> split_that_fits(const PartSource& source, const StepPlan& step, int fewest_ranks);

}  // namespace mlsim::sim
