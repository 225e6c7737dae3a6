// mlsim calibrate: plans, has a program beside it measure, fits, and writes or extends a profile.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "calibrate/environment.hpp"
#include "calibrate/helper_process.hpp"
#include "calibrate/launch.hpp"
#include "calibrate/profile/imported_collectives.hpp"
#include "calibrate/profile/law_samples.hpp"
#include "cli/calibration_run.hpp"
#include "cli/command.hpp"
#include "cli/interruption.hpp"
#include "core/errors.hpp"
#include "reports/calibration/calibration_text.hpp"
#include "reports/calibration/collective_text.hpp"
#include "sim/collectives/nccl/target.hpp"
#include "topologies/import/hwloc_topology.hpp"
#include "topologies/import/nccl_topology.hpp"

namespace mlsim::cli {
namespace {

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
    "  mlsim calibrate --import nccl.log:nodes=2,ranks_per_node=8 --accelerator h100-sxm5 --output h100.json\n"
    "  mlsim calibrate --import three-sizes.log --complete-on dgx-h100:nodes=2 --output h100.json\n"
    "  mlsim calibrate --nccl-topology dgx.xml --cluster dgx.yaml\n"
    "  mlsim predict --topology here.yaml --workload resnet20-cifar --profile here.json";

// Multiprocessors of a GPU; a processor's cores share one law for each number of threads.
int units_of(const MeasuringProgram& program) {
  const auto found = program.versions.find("multiprocessors");
  return found == program.versions.end() ? 1 : std::max(1, std::atoi(found->second.c_str()));
}

Profile extended(const std::optional<Profile>& earlier, const Profile& newer, const std::string& output) {
  return earlier ? merged_profile(*earlier, newer, output) : newer;
}

// What cannot be described as a topology is refused before measuring.
MeasuredOn machine_measured(const CalibrateRequest& request, const MeasuringProgram& program) {
  MeasuredOn on = measured_on(subject_of(request), program, request.accelerator, own_version());
  if (!request.cluster.empty()) this_machine();
  return on;
}

int calibrate_kernels(const CalibrateRequest& request) {
  const MeasurePlan plan = measure_plan(request.kernels);
  if (request.dry_run) {
    write_result({}, plan_text(plan, request.time_limit));
    return 0;
  }
  const auto sweeps = imported_sweeps(request.imports);
  const auto earlier = earlier_profile(request.output);
  const MeasuringProgram program = measuring_program(subject_of(request));
  MeasuredOn on = machine_measured(request, program);
  extended(earlier, measured_profile({}, on), request.output);  // another accelerator's is refused before measuring
  Journal journal(journal_path(request.output), journal_identity(plan, on, program, own_version()), request.restart);
  const CampaignResult result = measured(request, plan, program, journal);
  if (result.interrupted) return kInterruptedCode;
  on.environment.merge(clock_environment(result.replies));
  Profile profile = extended(earlier, measured_profile(result.replies, on), request.output);
  fit_laws(profile, units_of(program));
  add_sweeps(profile, sweeps);
  write_calibration(request, profile);
  journal.remove();
  write_result({}, results_text(plan, result.replies) + "\n" + laws_text(profile.laws));
  return 0;
}

// The hosts of the ranks that measured last: a run that goes on may have been started on other hosts.
std::vector<std::string> hosts_of(const std::vector<MeasureReply>& replies) {
  std::vector<std::string> hosts;
  for (const auto& reply : replies)
    if (reply.unavailable.empty()) hosts = reply.hosts;
  return hosts;
}

int calibrate_collectives(const CalibrateRequest& request) {
  const MeasurePlan plan = collective_plan(request.collectives);
  if (request.dry_run) {
    if (request.launch->rank == 0) write_result({}, plan_text(plan, request.time_limit));
    return 0;
  }
  const auto& [name, install] = measuring_programs().back();
  if (request.launch->rank > 0) become_helper(helper_path(name, install));
  if (request.launch->ranks < 2)
    throw InputError("one rank has nobody to exchange anything with; start two or more: mpirun -n 2 mlsim calibrate");
  const auto note = sharing_note(request.collectives.libraries, request.launch->ranks_per_node, available_threads(),
                                 machine_threads());
  if (!note.empty()) fmt::print(stderr, "mlsim: {}\n", note);
  const auto earlier = earlier_profile(request.output);
  const MeasuringProgram program = measuring_program(subject_of(request));
  const MeasuredOn on = machine_measured(request, program);
  Profile profile = extended(earlier, measured_profile({}, on), request.output);
  Journal journal(journal_path(request.output), journal_identity(plan, on, program, own_version()), request.restart);
  const CampaignResult result = measured(request, plan, program, journal);
  if (result.interrupted) return kInterruptedCode;
  const RankGrid grid{request.launch->nodes(), request.launch->ranks_per_node};
  const auto sweeps = measured_sweeps(result.replies, grid, measured_source(on));
  add_sweeps(profile, sweeps);
  write_calibration(request, profile);
  journal.remove();
  const auto hosts = hosts_of(result.replies);
  std::string text;
  for (const auto& curve : curves_of(profile, sweeps)) text += collective_text(curve, hosts);
  write_result({}, text);
  return 0;
}

Profile profile_to_add_to(const CalibrateRequest& request, const std::string& accelerator) {
  if (auto earlier = earlier_profile(request.output)) return *earlier;
  Profile profile;
  profile.accelerator = request.accelerator.empty() ? accelerator : request.accelerator;
  if (profile.accelerator.empty())
    throw InputError("--import", "needs --accelerator NAME, what the file's ranks ran on, or an --output to add to");
  return profile;
}

// With --complete-on sweeps of few sizes are completed by NCCL's structure, or without a file it stands alone.
int add_imports(const CalibrateRequest& request) {
  constexpr const char* kCompleteOn = "--complete-on";
  const auto sweeps = imported_sweeps(request.imports);
  std::optional<NcclTarget> target;
  if (!request.complete_on.empty()) target = parsed(kCompleteOn, request.complete_on, nccl_target);
  Profile profile = profile_to_add_to(request, target ? target->accelerator : "");
  std::vector<CollectiveCurve> curves;
  if (target && sweeps.empty()) {
    curves = {parsed(kCompleteOn, request.complete_on, [&](auto&) { return add_unmeasured(profile, *target); })};
  } else if (target) {
    curves = add_completed(profile, sweeps, *target);
  } else {
    add_sweeps(profile, sweeps);
    curves = curves_of(profile, sweeps);
  }
  write_calibration(request, profile);
  std::string text;
  for (const auto& curve : curves) text += collective_text(curve);
  write_result({}, text);
  return 0;
}

std::string topology_text(const CalibrateRequest& request) {
  if (!request.nccl_topology.empty())
    return nccl_machine_text(request.nccl_topology,
                             {std::filesystem::path(request.cluster).stem().string(), request.accelerator});
  HostMachineHints hints;
  hints.accelerator = request.accelerator;
  return machine_file_text(hwloc_machine(request.hwloc), hints);
}

int run_calibrate(const CalibrateOptions& options) {
  const auto launch = launch_of([](const char* name) -> const char* { return std::getenv(name); });
  const CalibrateRequest request = calibrate_request(options, launch);
  switch (request.task) {
    case CalibrateTask::kernels: return calibrate_kernels(request);
    case CalibrateTask::collectives: return calibrate_collectives(request);
    case CalibrateTask::imports: return add_imports(request);
    case CalibrateTask::topology: write_result(request.cluster, topology_text(request)); return 0;
  }
  return 0;
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
