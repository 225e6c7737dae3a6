// This page shows a step of Chakra execution traces on a machine, and the JSON holds the same.
#pragma once

#include <string>

#include "interop/chakra/chakra_replay.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

Page chakra_page(const ChakraReplay& replay);
std::string chakra_json(const ChakraReplay& replay);

}  // namespace mlsim::reports
