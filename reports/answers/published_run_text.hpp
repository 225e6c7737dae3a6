// These texts tell of the nearest published run in the words of a report.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// Writes what was published: "28.8 s", "2 450/s".
std::string published_figure_text(const PublishedRun& run);

/// Writes "Kumar 2021, this system: we say +6 %".
std::string published_run_text(const PublishedRun& run);

}  // namespace mlsim::reports
