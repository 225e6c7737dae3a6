// A LayoutChoice is one of the ways to lay a model out on a machine that were held against one another.
#pragma once

#include <string>

#include "core/units.hpp"

namespace mlsim {

struct LayoutChoice {
  std::string layout;  // "tensor=8,pipeline=4,micro_batch=1, recompute=full"
  Seconds step_time;   // by formulas
  Bytes memory;        // of each accelerator
  double bubble = 0;   // part of the step's time, by the schedule's formula
  std::string limit;   // what takes most of the step besides kernels, or "kernels"
  bool operator==(const LayoutChoice&) const = default;
};

}  // namespace mlsim
