// These entries say where the figures of a step come from, in the order in which an answer says it.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// States "all-reduce by torus-2d": every exchange of the step with its algorithm, or with what was measured of it.
std::vector<Statement> exchange_statements(const LoweredPlan& lowered);

/// Lists kernel speed and contention, where any kernel follows them, and the algorithms of the exchanges.
std::vector<ProvenanceEntry> exchange_provenance(const CostedStep& step);

/// Lists kernels, the stack's fixed time, memory, links and Horovod's cycles.
std::vector<ProvenanceEntry> machine_provenance(const CostedStep& step);

}  // namespace mlsim::sim
