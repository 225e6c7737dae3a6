// Which tensors stay in memory from the forward to the backward pass.
#pragma once

#include "core/precision.hpp"
#include "core/units.hpp"
#include "workloads/model.hpp"

namespace mlsim {

struct KeptTensors {
  double elements = 0;  // in the format of the step
  double masks = 0;     // of a byte each
  double wide = 0;      // in fp32
  Bytes bytes(Precision precision) const { return element_size(precision) * elements + Bytes(masks + 4 * wide); }
};

/// Of one sample; the rules are told at kept_per_sample in memory.hpp.
KeptTensors kept_tensors(const Model& model, bool fusion, bool recompute);

}  // namespace mlsim
