// These bounds say how far the convergence tables may be off results that they do not hold.
#pragma once

#include <array>

#include "validation/namespace.hpp"
#include "validation/scores/convergence_errors.hpp"

namespace mlsim::validation {

struct MedianBound {
  LeaveOut how;
  double median;  // median of the absolute relative errors over all benchmarks
};

// The rule gave 1.7 and 3.1 % on MLPerf v0.5-v1.0 when it was chosen; a third more is the margin for rows added later.
constexpr std::array<MedianBound, 2> kConvergenceBounds{{{LeaveOut::row, 0.025}, {LeaveOut::batch, 0.04}}};

}  // namespace mlsim::validation
