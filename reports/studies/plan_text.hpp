// A capacity plan on one page.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::reports {

/// The answer first: what to rent, how long, how much, how sure; then the alternatives, what would change the answer,
/// what it leaves out.
std::string plan_text(const CapacityPlan& plan);

/// "within 2.00 h and under 500 USD", "at the least cost".
std::string goal_words(const PlanGoal& goal);

/// SI units in the keys, and USD.
std::string plan_json(const CapacityPlan& plan);

}  // namespace mlsim::reports
