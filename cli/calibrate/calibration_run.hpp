// A calibration asks a measuring program for one thing after the other and shows the progress on stderr.
#pragma once

#include "calibrate/campaign.hpp"
#include "calibrate/profile/calibration.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Returns the version of this program.
MlsimVersion own_version();

/// Says whose measuring program the request needs.
Subject subject_of(const CalibrateRequest& request);

/// Returns what a run over the plan measured. Where it was interrupted, says on stderr how to go on. Throws Unavailable
/// where nothing at all could be measured.
CampaignResult measured(const CalibrateRequest& request, const MeasurePlan& plan, const MeasuringProgram& program,
                        Journal& journal);

}  // namespace mlsim::cli
