// What a timed step says of a machine, in words: whether it is normal here, and what would bring it down.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// Writes "normal: longer than 41 of 100 steps expected here; twice the NIC bandwidth would save 12.0 %, ...".
std::string measured_step_text(const Prediction::MeasuredStep& measured);

}  // namespace mlsim::reports
