// `mlsim validate replay` prints this page.
#pragma once

#include "core/result/replay_run.hpp"
#include "replay/validation/replay_error.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// `bound` is the largest relative error that passes.
Page replay_error_page(const ReplayRun& run, const ReplayError& error, double bound);

}  // namespace mlsim::reports
