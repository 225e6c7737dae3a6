// The table of speed effects, validation/published/derived/speed_effects.csv, spares questions to fit all runs on record.
#pragma once

#include <string>

#include "sim/evidence/speed_prior.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Writes what fit_speeds() makes of the runs, population by population, as the table holds it.
std::string speed_effects_csv(const Evidence& runs);

/// Reads what the table has of published_anchors(), which a test holds it to.
sim::SpeedEffects stored_speed_effects(sim::SpeedPopulation population);

}  // namespace mlsim::validation
