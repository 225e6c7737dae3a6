// Published traces against their replays: a table for a terminal, and a section of docs/accuracy.md.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/trace/published_traces.hpp"

namespace mlsim::reports {

std::string published_traces_text(const PublishedTraceResults& results);
std::string published_traces_markdown(const PublishedTraceResults& results);

}  // namespace mlsim::reports
