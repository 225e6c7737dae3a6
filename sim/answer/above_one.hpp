// A share above one is no mistake where what it is a share of says less: these notes say against what.
#pragma once

#include <string>
#include <vector>

#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Says of an MFU and of an efficiency of scaling that is above one, in percents as they are printed, against what it
/// is; empty for others. No kernel runs past its units: MFU counts multiplications that Winograd's algorithm spares
/// (sim/kernel_cost/done_work.hpp), or kernels were timed that ran beyond the data sheet's clock.
std::vector<std::string> notes_above_one(const CostedStep& step, double mfu, double efficiency);

}  // namespace mlsim::sim
