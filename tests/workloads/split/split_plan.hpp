// A step of data parallelism and of one axis that splits the model or its samples.
#pragma once

#include "workloads/lowering/step_plan.hpp"

namespace mlsim::test {

inline StepPlan plan_of(Axis axis, int ranks, int data = 1, double batch = 4, Precision precision = Precision::bf16) {
  StepPlan plan;
  plan.parallelism[axis] = ranks;
  plan.parallelism[Axis::data] = data;
  plan.batch_per_accelerator = batch;
  plan.precision = precision;
  return plan;
}

}  // namespace mlsim::test
