// This page says what was written of a step for another program, and what the files leave out.
#pragma once

#include <string>

#include "core/units.hpp"
#include "interop/chakra/step_export.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// `time` is that of the simulated step; `framework` is what passes before its first kernel, which no node stands for.
Page export_page(const EtExport& exported, const std::string& prefix, Seconds time, Seconds framework);

}  // namespace mlsim::reports
