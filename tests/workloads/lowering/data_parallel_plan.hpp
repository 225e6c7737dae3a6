// A data-parallel step for the tests of its lowering.
#pragma once

#include "tests/namespace.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::test {

inline StepPlan plan_of(int ranks, double batch) {
  StepPlan plan;
  plan.parallelism[Axis::data] = ranks;
  plan.batch_per_accelerator = batch;
  return plan;
}

}  // namespace mlsim::test
