// The matrix peak is the rate of an accelerator's units in a precision.
#pragma once

#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Throws Infeasible where the accelerator does not compute in the precision, with those that it has.
FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision);

}  // namespace mlsim::sim
