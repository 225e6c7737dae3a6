// Which ranks of a step are alike, and the flow programs of its collectives on those classes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/fidelity.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/step.hpp"

namespace mlsim {

struct RankClasses {
  std::vector<double> speed;                       // compute speed factor of each class
  std::vector<std::uint32_t> size;                 // ranks in each class
  std::map<CollectiveKind, FlowProgram> programs;  // empty at closed and message fidelity
};

/// closed: one class a speed. folded: refined until every collective of the step folds on the same classes; where one
/// has no quotient, as fluid. fluid and message: every rank its own class.
RankClasses rank_classes(const Cluster& cluster, const CollectivePlans& plans, const LinkEfficiency& efficiency,
                         Fidelity fidelity);

}  // namespace mlsim
