// `mlsim replay` prints this page of a run.
#pragma once

#include <string>

#include "core/result/replay_run.hpp"
#include "replay/validation/replay_error.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// `mlsim validate replay` prints this page.
/// `bound` is the largest relative error that passes.
Page replay_error_page(const ReplayRun& run, const ReplayError& error, double bound);

Page replay_page(const ReplayRun& run);

/// Writes "resnet20-cifar, 32 samples a rank, all-reduce by gloo, 4 ranks on 2 hosts".
std::string replay_title(const ReplayRun& run);

}  // namespace mlsim::reports
