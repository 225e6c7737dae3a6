// The matrix peak is the rate of an accelerator's units in a precision.
#pragma once

#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Throws Infeasible where the accelerator does not compute in the precision, with those that it has.
FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision);

/// Gives the rate of the fastest units that a run in the precision may have used. Runs that are called fp32 multiply in
/// tf32 where the chip has it: cuDNN's convolutions do by default, TensorFlow's and PyTorch's products did in 2020
/// (NVIDIA, Accelerating AI Training with NVIDIA TF32 Tensor Cores, 2021). Returns `peak` for all others.
FlopPerSecond fastest_peak(const AcceleratorSpec& accelerator, Precision precision, FlopPerSecond peak);

}  // namespace mlsim::sim
