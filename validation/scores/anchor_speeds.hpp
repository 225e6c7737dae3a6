// The speeds of kernels that anchors give; a prior for steps without a run is fitted to them.
#pragma once

#include <vector>

#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/row_figures.hpp"

namespace mlsim::validation {

/// Gives the speed of every anchor among `cases` whose system and network can be had, a factor on the efficiency curve,
/// in their order; validation/published/derived/anchor_speeds.csv is a table of these.
std::vector<RowFigure> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                     const AnswerOptions& options = {});

}  // namespace mlsim::validation
