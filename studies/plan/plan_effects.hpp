// These effects would change a plan's answer: more of a resource, another size, other prices, a measurement.
#pragma once

#include <optional>
#include <vector>

#include "studies/namespace.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::studies {

/// Changes are twice of each resource of the chosen system, and its sizes next to the chosen one.
std::vector<Sensitivity> sensitivities(const CapacityPlan& plan);

/// The choice is empty where no preemptible price is known, or the question names a kind of price.
std::optional<PreemptibleChoice> preemptible_choice(const CapacityPlan& plan);

/// The worth is computed as if `mlsim calibrate` had timed the step on one node of the chosen system and found what is
/// predicted.
std::optional<MeasurementWorth> measurement_worth(const CapacityPlan& plan);

}  // namespace mlsim::studies
