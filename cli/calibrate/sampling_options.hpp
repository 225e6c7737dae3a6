// The sampling options say how long, how often and in which order `mlsim calibrate` measures.
#pragma once

#include <cstdint>
#include <optional>

#include "calibrate/measure.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::cli {

/// Each throws InputError naming the option that is wrong.
StoppingRule stopping_rule(const CalibrateOptions& options);
std::optional<Seconds> time_limit(const CalibrateOptions& options);
std::uint64_t seed_of(const CalibrateOptions& options);

}  // namespace mlsim::cli
