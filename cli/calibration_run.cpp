#include "cli/calibration_run.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "calibrate/helper_process.hpp"
#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "core/errors.hpp"
#include "core/output_file.hpp"
#include "reports/calibration/calibration_text.hpp"
#include "topologies/import/hwloc_topology.hpp"
#include "topologies/import/measured_machine.hpp"

namespace mlsim::cli {
namespace {

HostMachineHints::Accelerators accelerators_of(const CalibrateRequest& request) {
  return subject_of(request) == Subject::gpu ? HostMachineHints::Accelerators::gpus
                                             : HostMachineHints::Accelerators::processor;
}

}  // namespace

MlsimVersion own_version() { return {MLSIM_VERSION, MLSIM_REVISION}; }

Subject subject_of(const CalibrateRequest& request) {
  if (request.task == CalibrateTask::collectives) return Subject::collectives;
  return request.task == CalibrateTask::kernels && request.kernels.device == KernelDevice::cuda ? Subject::gpu
                                                                                                : Subject::processor;
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
        {request.cluster, machine_file_text(this_machine(), measured_hints(profile, accelerators_of(request)))});
  write_files(files);
  fmt::print(stderr, "mlsim: {} holds {} kernels, {} probes, {} laws and {} collectives of {}\n", request.output,
             profile.kernels.size(), profile.probes.size(), profile.laws.size(), profile.collectives.size(),
             profile.accelerator);
}

}  // namespace mlsim::cli
