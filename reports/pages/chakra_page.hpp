// This page shows a step of Chakra execution traces on a machine.
#pragma once

#include "interop/chakra/chakra_replay.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

Page chakra_page(const ChakraReplay& replay);

}  // namespace mlsim::reports
