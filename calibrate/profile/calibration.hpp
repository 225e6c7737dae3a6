// Calibrations have these in common: which program measures, on what, and which results are there already.
#pragma once

#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/journal.hpp"
#include "calibrate/measure_plan.hpp"
#include "calibrate/namespace.hpp"
#include "calibrate/profile/measured_profile.hpp"

namespace mlsim::calibrate {

/// Each subject is measured by a program of its own.
enum class Subject { processor, gpu, collectives };

struct ProgramName {
  std::string name, install;  // what it takes to have it
};
/// Lists mlsim-cpu, mlsim-cuda and mlsim-mpi, in the order of the subjects.
const std::vector<ProgramName>& measuring_programs();

/// A `MeasuringProgram` stands beside mlsim and knows its own versions.
struct MeasuringProgram {
  std::string path;
  std::map<std::string, std::string> versions;
};

/// Throws Unavailable where the program is not there or lacks what it needs.
MeasuringProgram measuring_program(Subject subject);

/// The version is that of mlsim itself.
struct MlsimVersion {
  std::string version, revision;  // the revision is empty outside a git checkout
};

/// Describes this machine, as samples name it; `accelerator` is its name where the user gave one. Throws InputError
/// where the accelerator has no name.
MeasuredOn measured_on(Subject subject, const MeasuringProgram& program, const std::string& accelerator,
                       const MlsimVersion& mlsim);

/// Returns the day in UTC of SOURCE_DATE_EPOCH, for results that are the same again, or of `now`
/// (reproducible-builds.org/specs/source-date-epoch).
std::string calibration_date(const char* source_date_epoch, std::time_t now);

/// Reads what the output holds already, if it is there. Throws InputError where it is no profile or no file.
std::optional<Profile> earlier_profile(const std::string& output);

/// Returns the path of the journal of an output.
std::string journal_path(const std::string& output);

/// A journal belongs to plan, machine and versions.
JournalIdentity journal_identity(const MeasurePlan& plan, const MeasuredOn& on, const MeasuringProgram& program,
                                 const MlsimVersion& mlsim);

}  // namespace mlsim::calibrate
