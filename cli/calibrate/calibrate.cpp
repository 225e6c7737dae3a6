// `mlsim calibrate` plans, has a program beside it measure, fits, and writes or extends a profile.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "calibrate/campaign.hpp"
#include "calibrate/environment.hpp"
#include "calibrate/helper_process.hpp"
#include "calibrate/launch.hpp"
#include "calibrate/profile/calibration.hpp"
#include "calibrate/profile/imported_collectives.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"
#include "cli/output/interruption.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/version.hpp"
#include "core/files/output_file.hpp"
#include "core/files/writer_lock.hpp"
#include "core/process/activity.hpp"
#include "core/process/machine_turn.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/pages.hpp"

namespace mlsim::cli {
namespace {

// Returns the version of this program.
MlsimVersion own_version() { return {program_version().number, program_version().revision}; }

// Says whose measuring program the request needs.
Subject subject_of(const CalibrateRequest& request) {
  if (request.launch) return Subject::collectives;
  return request.kernels.device == KernelDevice::cuda ? Subject::gpu : Subject::processor;
}

// Returns what a run over the plan measured. Where it was interrupted, says on stderr how to go on. Throws Unavailable
// where nothing at all could be measured.
CampaignResult measured(const CalibrateRequest& request, const MeasurePlan& plan, const MeasuringProgram& program,
                        Journal& journal) {
  // Whatever their outputs, two calibrations would measure each other.
  const MachineTurn turn("mlsim.calibrate", [](const std::string& holder) {
    say(fmt::format("waiting: {} calibrates this machine", holder));
  });
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
  for (const std::string& note : {noise_text(result.replies), throttled_text(result.replies)})
    if (!note.empty()) say(note);
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

constexpr const char* kExamples =
    "What was measured is a table on stdout; --output gets the profile that --profile of predict takes. A run that "
    "was\n"
    "interrupted goes on where it stopped; measurements of the same thing replace older ones in the profile, launches\n"
    "of collectives add up.\n\n"
    "Examples:\n"
    "  mlsim calibrate --quick                                this processor, within a minute\n"
    "  mlsim calibrate --workload resnet20-cifar --dry-run    what that would measure\n"
    "  mlsim calibrate --device cuda --output a100.json --time-limit 30min\n"
    "  mpirun -n 2 mlsim calibrate --collectives all-reduce --output here.json\n"
    "  mlsim topology --profile here.json --output here.yaml  this machine, with what was measured of it\n"
    "  mlsim predict --topology here.yaml --workload resnet20-cifar --profile here.json";

// A GPU has multiprocessors; a processor's cores share one law for each number of threads.
int units_of(const MeasuringProgram& program) {
  const auto found = program.versions.find("multiprocessors");
  return found == program.versions.end() ? 1 : std::max(1, std::atoi(found->second.c_str()));
}

Profile extended(const std::optional<Profile>& earlier, const Profile& newer, const std::string& output) {
  return earlier ? merged_profile(*earlier, newer, output) : newer;
}

int calibrate_kernels(const CalibrateRequest& request) {
  const MeasurePlan plan = measure_plan(request.kernels);
  if (request.dry_run) {
    write_result({}, terminal_text(measure_plan_page(plan, request.time_limit)));
    return 0;
  }
  const WriterLock lock(request.output, "mlsim calibrate");
  const auto earlier = earlier_profile(request.output);
  const MeasuringProgram program = measuring_program(subject_of(request));
  MeasuredOn on = measured_on(subject_of(request), program, request.accelerator, own_version());
  extended(earlier, measured_profile({}, on), request.output);  // another accelerator's is refused before measuring
  Journal journal(journal_path(request.output), journal_identity(plan, on, program, own_version()), request.restart);
  const CampaignResult result = measured(request, plan, program, journal);
  if (result.interrupted) return Interruption::code();
  on.environment.merge(clock_environment(result.replies));
  Profile profile = extended(earlier, measured_profile(result.replies, on), request.output);
  notice(refused_laws_text(fit_laws(profile, units_of(program))));
  write_profile(request.output, profile);
  journal.remove();
  write_result({}, terminal_text(calibration_page(plan, result.replies, profile.laws)));
  return 0;
}

// These are the hosts of the ranks that measured last: a run that goes on may have been started on other hosts.
std::vector<std::string> hosts_of(const std::vector<MeasureReply>& replies) {
  std::vector<std::string> hosts;
  for (const auto& reply : replies)
    if (reply.unavailable.empty()) hosts = reply.hosts;
  return hosts;
}

int calibrate_collectives(const CalibrateRequest& request) {
  const MeasurePlan plan = collective_plan(request.collectives);
  if (request.dry_run) {
    if (request.launch->rank == 0) write_result({}, terminal_text(measure_plan_page(plan, request.time_limit)));
    return 0;
  }
  const auto& [name, install] = measuring_programs().back();
  if (request.launch->rank > 0) become_helper(helper_path(name, install));
  if (request.launch->ranks < 2)
    throw InputError("one rank has nobody to exchange anything with; start two or more: mpirun -n 2 mlsim calibrate");
  const auto note = sharing_note(request.collectives.libraries, request.launch->ranks_per_node, available_threads(),
                                 machine_threads());
  if (!note.empty()) say(note);
  const WriterLock lock(request.output, "mlsim calibrate");
  const auto earlier = earlier_profile(request.output);
  const MeasuringProgram program = measuring_program(subject_of(request));
  const MeasuredOn on = measured_on(subject_of(request), program, request.accelerator, own_version());
  Profile profile = extended(earlier, measured_profile({}, on), request.output);
  Journal journal(journal_path(request.output), journal_identity(plan, on, program, own_version()), request.restart);
  const CampaignResult result = measured(request, plan, program, journal);
  if (result.interrupted) return Interruption::code();
  const RankGrid grid{request.launch->nodes(), request.launch->ranks_per_node};
  const auto sweeps = measured_sweeps(result.replies, grid, measured_source(on));
  add_sweeps(profile, sweeps);
  write_profile(request.output, profile);
  journal.remove();
  const auto hosts = hosts_of(result.replies);
  write_result({}, terminal_text(curves_page(curves_of(profile, sweeps), hosts)));
  return 0;
}

int run_calibrate(const CalibrateOptions& options) {
  const auto launch = launch_of([](const char* name) -> const char* { return std::getenv(name); });
  const CalibrateRequest request = calibrate_request(options, launch);
  return launch ? calibrate_collectives(request) : calibrate_kernels(request);
}

}  // namespace

void add_calibrate(CLI::App& app, Action& action) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measures kernels of this machine, or under mpirun collectives, and writes a profile");
  add_calibrate_options(*command, *options);
  command->footer(kExamples);
  command->callback([options, &action] { action = [options] { return run_calibrate(*options); }; });
}

}  // namespace mlsim::cli
