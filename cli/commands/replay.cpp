// `mlsim replay` runs on rank 0 under mpirun: a program beside it runs the step on all ranks, and `mlsim` writes what
// it was told.
#include <cstdlib>
#include <memory>

#include "calibrate/helper_process.hpp"
#include "calibrate/launch.hpp"
#include "cli/commands/replay_options.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/version.hpp"
#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/replay_page.hpp"
#include "reports/replay/replay_timeline.hpp"
#include "sim/step/trace.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kReplayProgram = "mlsim-replay";
constexpr const char* kReplayInstall = "oneDNN, OpenBLAS and MPI: libdnnl-dev, libopenblas-pthread-dev, libopenmpi-dev";
constexpr Seconds kLongestReplay(24 * 3600.0);  // a rank that dies ends it at once

constexpr const char* kReplayExamples =
    "Each rank runs the nodes of the workload's step graph: kernels on one thread, exchanges on others as soon as "
    "what\n"
    "they carry is there. In turns with it run the kernels alone and the exchanges alone, which is what the error of "
    "a\n"
    "prediction is split by: mlsim validate replay RUN.json --profile PROFILE.json.\n\n"
    "Examples:\n"
    "  mpirun -n 2 mlsim replay --workload resnet20-cifar --batch 32 --output run.json --trace run.perfetto.json\n"
    "  mpirun -n 4 mlsim replay --workload logreg-epsilon --batch 100 --set sharded_update=on --output run.json\n"
    "  mpirun -n 2 mlsim replay --workload resnet20-cifar --batch 32 --parallelism pipeline=2,micro_batches=4 \\\n"
    "      --output run.json";

ReplayRun measured_run(const ReplayOrder& order, const std::string& program) {
  try {
    const Activity activity("running the step on all ranks");
    calibrate::HelperProcess ranks(program);
    ReplayRun run =
        replay_run_from_json(ranks.answer(to_line(order) + "\n", kLongestReplay, "for the run"), kReplayProgram);
    run.environment["mlsim"] = program_version().number;
    return run;
  } catch (const calibrate::HelperFailed& e) {
    throw MachineFailed(e.what());
  }
}

int run_replay(const ReplayOptions& options) {
  const auto launch = calibrate::launch_of([](const char* name) -> const char* { return std::getenv(name); });
  if (options.output.empty()) throw InputError("replay needs --output, the run file to write");
  const ReplayOrder order = replay_order(options, launch ? launch->ranks : 1);
  const std::string program = calibrate::helper_path(kReplayProgram, kReplayInstall);
  if (launch && launch->rank > 0) calibrate::become_helper(program);
  const ReplayRun run = measured_run(order, program);
  std::vector<OutputFile> files{{options.output, to_json(run)}};
  if (!options.trace.empty()) files.push_back({options.trace, sim::trace_json(reports::measured_timeline(run))});
  write_result({}, terminal_text(reports::replay_page(run)), files);
  return 0;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand(
      "replay", "Under mpirun: runs a step really, with kernels and exchanges, and writes what it took");
  add_replay_options(*command, *options);
  command->footer(kReplayExamples);
  command->callback([options, &action] { action = [options] { return run_replay(*options); }; });
}

}  // namespace mlsim::cli
