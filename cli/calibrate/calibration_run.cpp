#include "cli/calibrate/calibration_run.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "calibrate/helper_process.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/notice.hpp"
#include "cli/program/version.hpp"
#include "core/files/output_file.hpp"
#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/calibration_page.hpp"

namespace mlsim::cli {
MlsimVersion own_version() { return {program_version().number, program_version().revision}; }

Subject subject_of(const CalibrateRequest& request) {
  if (request.launch) return Subject::collectives;
  return request.kernels.device == KernelDevice::cuda ? Subject::gpu : Subject::processor;
}

CampaignResult measured(const CalibrateRequest& request, const MeasurePlan& plan, const MeasuringProgram& program,
                        Journal& journal) {
  const Interruption interruption;
  CampaignResult result;
  {
    HelperProcess helper(program.path, [&] { return interruption.requested(); });
    Activity activity("measuring", plan.measurements.size());
    CampaignTools tools;
    tools.stopped = [&] { return interruption.requested(); };
    tools.ask = [&](const MeasureOrder& order, Seconds longest) {
      activity.rename("measuring " + order.subject);
      return helper.ask(order, longest);
    };
    tools.report = [&](const CampaignProgress& p) {
      activity.reach(static_cast<std::uint64_t>(p.done), static_cast<std::uint64_t>(p.all));
      activity.expect(p.left);
    };
    result = run_campaign(plan, journal, tools, request.time_limit);
  }
  notice(unavailable_text(result.replies));
  if (const std::string noise = noise_text(result.replies); !noise.empty()) say(noise);
  const int done = static_cast<int>(result.replies.size());
  if (result.interrupted) {
    say(fmt::format("interrupted after {} of {} measurements; the same command goes on with the others", done,
                    result.all));
    return result;
  }
  if (done < result.all) say(fmt::format("{} of {} measurements fitted into the time limit", done, result.all));
  for (const auto& reply : result.replies)
    if (reply.unavailable.empty()) return result;
  journal.remove();
  throw Unavailable(result.replies.empty() ? "nothing was measured within the time limit"
                                           : "nothing could be measured: " + result.replies.front().unavailable);
}

}  // namespace mlsim::cli
