// The check of collectives that only carry messages: all-to-all, halo exchange, send and receive.
#pragma once

#include <string>

#include "tests/namespace.hpp"
#include "tests/oracles/symbolic.hpp"

namespace mlsim::test {

/// As schedule_fault, for the kinds whose messages are delivered and not forwarded.
std::string delivery_fault(const Schedule& schedule, const RoundSource& source);

}  // namespace mlsim::test
