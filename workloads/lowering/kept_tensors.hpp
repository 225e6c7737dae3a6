// kept_tensors() says which tensors stay in memory from the forward to the backward pass.
#pragma once

#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::workloads {

struct KeptTensors {
  double elements = 0;  // in the format of the step
  double masks = 0;     // elements of masks, a byte each
  double wide = 0;      // in fp32
  double operands = 0;  // that matrix products alone read again
  /// Eight-bit steps keep operands as the products read them (NVIDIA/TransformerEngine, pytorch/module/linear.py: the
  /// backward pass has the cast input), all else in 16 bits.
  Bytes bytes(Precision precision) const {
    const Bytes element = element_size(precision), operand = precision == Precision::fp8 ? Bytes(1) : element;
    return element * elements + operand * operands + Bytes(masks + 4 * wide);
  }
};

/// RunAgain says which forward work runs again in the backward pass, one after the other: attention from its operands,
/// each repetition of repeated blocks, or everything at once.
enum class RunAgain { nothing, attention, blocks, everything };
RunAgain run_again(Recompute recompute);

/// KeptActivations are what one sample keeps; kept_per_sample in workloads/lowering/memory.hpp tells the rules.
struct KeptActivations {
  KeptTensors each;        // kept by every micro-batch in flight
  KeptTensors recomputed;  // kept by one micro-batch at a time
  Bytes bytes(Precision precision, int in_flight) const {
    return each.bytes(precision) * double(in_flight) + recomputed.bytes(precision);
  }
};
KeptActivations kept_tensors(const ShardedModel& sharded, bool fusion, RunAgain again);

}  // namespace mlsim::workloads
