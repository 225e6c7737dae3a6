// These sections of a capacity plan have the same words on a terminal and in a report.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::reports {

/// Writes "bert to 0.72 MLM within 4.00 h and under 500 USD, 90 % sure".
std::string plan_title(const CapacityPlan& plan);

/// Says what to rent, or what is nearest where nothing meets the goal.
PageSection choice_section(const CapacityPlan& plan);

/// Lists the first of those that no other candidate beats in both time and cost, and the choice.
PageSection front_section(const CapacityPlan& plan);

/// Says what changes of the chosen system do, where the choice turns, and what a measurement is worth; without blocks
/// where there is nothing to say.
PageSection change_section(const CapacityPlan& plan);

/// Lists systems that are no candidates: the first with their reasons, the others counted.
PageSection left_out_section(const CapacityPlan& plan);

/// Writes "92 %"; never all or none.
std::string chance_text(double share);

/// A change is written with its sign; one that is nothing beside the whole job has none.
std::string change_text(Seconds change, Seconds whole);
std::string change_text(Usd change);

}  // namespace mlsim::reports
