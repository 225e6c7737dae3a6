// sample_skew() says how long the ranks of a step wait for the one whose samples are the longest.
#pragma once

#include "sim/namespace.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::sim {

/// Returns the compute time of the slowest rank over that of the mean one: 1 + s z / sqrt(b), where the work of a
/// sample spreads by the fraction s = `spread` (Model::sample_spread), a rank has b of them a step and z is the largest
/// of as many normals as there are ranks. 1 where all samples are alike, or padded to one size.
double sample_skew(double spread, const StepPlan& step);

}  // namespace mlsim::sim
