// error_tolerance() says how far the result of a kernel may lie from its reference before its time means nothing.
#pragma once

#include <string_view>

#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"

namespace mlsim::calibrate {

/// The error is the largest absolute difference to a reference in float64 over the largest absolute element of it.
double error_tolerance(Precision precision);
/// The tolerance is that of the coarsest format among the words of a subject, "kernel dense_forward bf16 64 512 10"; of
/// fp32 where none is named.
double error_tolerance(std::string_view subject);

}  // namespace mlsim::calibrate
