// The steps that every calibration has in common: who measures, where the results go, and the run itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/campaign.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "cli/calibrate_options.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

/// A program beside mlsim and what it knows of itself.
struct MeasuringProgram {
  std::string path;
  std::map<std::string, std::string> versions;
};

struct ProgramName {
  std::string name, install;  // what it takes to have it
};
/// In the order of the subjects: mlsim-cpu, mlsim-cuda, mlsim-mpi.
const std::vector<ProgramName>& measuring_programs();

/// Throws Unavailable where it is not there or lacks what it needs.
MeasuringProgram measuring_program(const CalibrateRequest& request);

/// This machine, as samples name it. Throws InputError where the accelerator has no name, Unavailable where a topology
/// is wanted and cannot be read.
MeasuredOn measured_on(const CalibrateRequest& request, const MeasuringProgram& program);

/// What the output holds already; nothing where it is not there. Throws InputError where it is no profile or no file.
std::optional<Profile> earlier_profile(const std::string& output);

/// The journal of an output.
std::string journal_path(const std::string& output);

/// What a run over the plan measured. Where it was interrupted, says on stderr how to go on. Throws Unavailable where
/// nothing at all could be measured.
CampaignResult measured(const CalibrateRequest& request, const MeasurePlan& plan, const MeasuringProgram& program,
                        Journal& journal);

/// Belongs to plan, machine and versions.
JournalIdentity journal_identity(const MeasurePlan& plan, const MeasuredOn& on, const MeasuringProgram& program);

/// Writes the profile, and the machine as a topology where that was asked for, all or nothing.
void write_calibration(const CalibrateRequest& request, const Profile& profile);

}  // namespace mlsim::cli
