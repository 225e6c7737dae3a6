#include "calibrate/profile/calibration.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "calibrate/builtin_profiles.hpp"
#include "calibrate/environment.hpp"
#include "calibrate/helper_process.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"

namespace mlsim::calibrate {
namespace {

std::string accelerator_name(Subject subject, const Environment& environment) {
  if (subject != Subject::gpu) return processor_slug(environment.at("processor"));
  const auto gpu = environment.find("gpu");
  if (gpu == environment.end())
    throw InputError("--accelerator", "is needed: mlsim-cuda does not say which GPU this is");
  return gpu_slug(gpu->second);
}

}  // namespace

const std::vector<ProgramName>& measuring_programs() {
  static const std::vector<ProgramName> programs{
      {"mlsim-cpu", "oneDNN and OpenBLAS (apt-get install libdnnl-dev libopenblas-dev)"},
      {"mlsim-cuda", "the CUDA Toolkit with cuDNN, and an NVIDIA GPU"},
      {"mlsim-mpi", "Open MPI (apt-get install libopenmpi-dev openmpi-bin)"}};
  return programs;
}

MeasuringProgram measuring_program(Subject subject) {
  const auto& [name, install] = measuring_programs()[static_cast<std::size_t>(subject)];
  MeasuringProgram program{helper_path(name, install), {}};
  program.versions = helper_versions(program.path);
  // A program that is asked for its versions alone knows nothing of the other ranks.
  for (const char* key : {"ranks", "nodes", "ranks_per_node", "hosts"}) program.versions.erase(key);
  return program;
}

MeasuredOn measured_on(Subject subject, const MeasuringProgram& program, const std::string& accelerator,
                       const MlsimVersion& mlsim) {
  MeasuredOn on;
  on.environment = host_environment();
  for (const auto& [name, version] : program.versions) on.environment[name] = version;
  on.environment["mlsim"] = mlsim.version;
  if (!mlsim.revision.empty()) on.environment["revision"] = mlsim.revision;
  if (subject == Subject::collectives) on.environment["processors_of_a_rank"] = std::to_string(available_threads());
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  on.date = calibration_date(std::getenv("SOURCE_DATE_EPOCH"), now);
  on.environment["date"] = on.date;
  on.environment["time"] = time_text(now);  // when it began
  on.host = on.environment["host"];
  const bool named_gpu = subject == Subject::gpu && on.environment.contains("gpu");
  on.processor = on.environment[named_gpu ? "gpu" : "processor"];
  on.accelerator = accelerator.empty() ? accelerator_name(subject, on.environment) : accelerator;
  return on;
}

std::string calibration_date(const char* source_date_epoch, std::time_t now) {
  if (source_date_epoch != nullptr) now = std::strtoll(source_date_epoch, nullptr, 10);
  std::tm date{};
  ::gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

std::optional<Profile> earlier_profile(const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(output, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_regular_file(status))
    throw InputError(output, "is no file: results are kept beside it until they are complete, and then added to it");
  return load_profile(output);
}

std::string journal_path(const std::string& output) { return output + ".journal"; }

JournalIdentity journal_identity(const MeasurePlan& plan, const MeasuredOn& on, const MeasuringProgram& program,
                                 const MlsimVersion& mlsim) {
  std::string version = fmt::format("mlsim {} {}", mlsim.version, mlsim.revision);
  for (const auto& [name, each] : program.versions) version += fmt::format(", {} {}", name, each);
  return {plan.identity(), fmt::format("{} ({})", on.host, on.processor), version};
}

}  // namespace mlsim::calibrate
