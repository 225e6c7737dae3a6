#include "cli/calibration.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "calibrate/builtin_profiles.hpp"
#include "calibrate/environment.hpp"
#include "calibrate/helper_process.hpp"
#include "cli/calibrate_tables.hpp"
#include "cli/cluster_file.hpp"
#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "core/errors.hpp"
#include "core/slug.hpp"
#include "core/units_text.hpp"
#include "reports/output_file.hpp"
#include "topologies/build_cluster.hpp"
#include "topologies/import/hwloc_topology.hpp"

namespace mlsim::cli {
namespace {

// Today in UTC, or the day that SOURCE_DATE_EPOCH names, for results that are the same again
// (reproducible-builds.org/specs/source-date-epoch).
std::string today() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr) now = std::strtoll(fixed, nullptr, 10);
  std::tm date{};
  ::gmtime_r(&now, &date);
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday);
}

bool on_gpu(const CalibrateRequest& request) {
  return request.subject == CalibrateRequest::Subject::kernels && request.kernels.device == KernelDevice::cuda;
}

std::string accelerator_of(const CalibrateRequest& request, const Environment& environment) {
  if (!request.accelerator.empty()) return request.accelerator;
  if (!on_gpu(request)) return processor_slug(environment.at("processor"));
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

MeasuringProgram measuring_program(const CalibrateRequest& request) {
  const bool collectives = request.subject == CalibrateRequest::Subject::collectives;
  const auto& [name, install] = measuring_programs()[collectives ? 2 : on_gpu(request) ? 1 : 0];
  MeasuringProgram program{helper_path(name, install), {}};
  program.versions = helper_versions(program.path);
  // Asked for its versions alone it knows nothing of the other ranks.
  for (const char* key : {"ranks", "nodes", "ranks_per_node", "hosts"}) program.versions.erase(key);
  return program;
}

MeasuredOn measured_on(const CalibrateRequest& request, const MeasuringProgram& program) {
  MeasuredOn on;
  on.environment = host_environment();
  for (const auto& [name, version] : program.versions) on.environment[name] = version;
  on.environment["mlsim"] = MLSIM_VERSION;
  if (request.launch) on.environment["processors_of_a_rank"] = std::to_string(available_threads());
  if (const std::string revision = MLSIM_REVISION; !revision.empty()) on.environment["revision"] = revision;
  on.date = today();
  on.environment["date"] = on.date;
  on.host = on.environment["host"];
  on.processor =
      on_gpu(request) && on.environment.contains("gpu") ? on.environment["gpu"] : on.environment["processor"];
  on.accelerator = accelerator_of(request, on.environment);
  if (!request.cluster.empty()) this_machine();  // what cannot be described is refused before measuring
  return on;
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

JournalIdentity journal_identity(const MeasurePlan& plan, const MeasuredOn& on, const MeasuringProgram& program) {
  std::string version = fmt::format("mlsim {} {}", MLSIM_VERSION, MLSIM_REVISION);
  for (const auto& [name, each] : program.versions) version += fmt::format(", {} {}", name, each);
  return {plan.identity(), fmt::format("{} ({})", on.host, on.processor), version};
}

CampaignResult measured(const CalibrateRequest& request, const MeasurePlan& plan, const MeasuringProgram& program,
                        Journal& journal) {
  const Interruption interruption;
  CampaignResult result;
  {
    HelperProcess helper(program.path, [&] { return interruption.asked(); });
    ProgressLine line(request.quiet);
    CampaignTools tools;
    tools.stopped = [&] { return interruption.asked(); };
    tools.ask = [&](const MeasureOrder& order, Seconds longest) { return helper.ask(order, longest); };
    tools.report = [&](const CampaignProgress& p) { line.show(progress_text(p.done, p.all, p.left, p.subject)); };
    result = run_campaign(plan, journal, tools, request.time_limit);
  }
  fmt::print(stderr, "{}", unavailable_text(result.replies));
  const int done = static_cast<int>(result.replies.size());
  if (result.interrupted) {
    fmt::print(stderr, "mlsim: interrupted after {} of {} measurements; the same command goes on with the others\n",
               done, result.all);
    return result;
  }
  if (done < result.all)
    fmt::print(stderr, "mlsim: {} of {} measurements fitted into the time limit\n", done, result.all);
  for (const auto& reply : result.replies)
    if (reply.unavailable.empty()) return result;
  journal.remove();
  throw Unavailable(result.replies.empty() ? "nothing was measured within the time limit"
                                           : "nothing could be measured: " + result.replies.front().unavailable);
}

void write_calibration(const CalibrateRequest& request, const Profile& profile) {
  std::vector<OutputFile> files{{request.output, to_json(profile)}};
  if (!request.cluster.empty())
    files.push_back(
        {request.cluster, cluster_file_text(profile, on_gpu(request) ? KernelDevice::cuda : KernelDevice::cpu)});
  write_files(files);
  fmt::print(stderr, "mlsim: {} holds {} kernels, {} probes, {} laws and {} collectives of {}\n", request.output,
             profile.kernels.size(), profile.probes.size(), profile.laws.size(), profile.collectives.size(),
             profile.accelerator);
}

}  // namespace mlsim::cli
