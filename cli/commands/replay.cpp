// `mlsim replay` runs on rank 0 under mpirun: a program beside it runs the step on all ranks, and `mlsim` writes what
// it was told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/helper_process.hpp"
#include "calibrate/launch.hpp"
#include "cli/namespace.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "cli/program/version.hpp"
#include "core/process/activity.hpp"
#include "core/result/replay_run.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/units_text.hpp"
#include "reports/pages/pages.hpp"
#include "reports/replay/replay_timeline.hpp"
#include "sim/options/options_text.hpp"
#include "sim/step/timeline.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

struct ReplayOptions {
  std::string workload, batch, parallelism, backend = "gloo", steps, warm_up, threads, output, trace;
  std::vector<std::string> settings;
};

int parsed_count(const std::string& option, const std::string& text, int lowest) {
  const double number = parsed(option, text, [](const std::string& t) { return parse_number(t); });
  constexpr double kMost = 1e9;
  if (number != std::floor(number) || number < lowest || number > kMost)
    throw InputError(option, fmt::format("\"{}\" is no whole number from {}", text, lowest));
  return static_cast<int>(number);
}

// Parses the settings; only those that change what runs on a rank are allowed.
Options run_settings(const std::vector<std::string>& settings) {
  const std::vector<std::string> known{"optimizer",    "overlap",        "bucket",
                                       "first_bucket", "sharded_update", "variable_update"};
  Options options;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const std::string key = setting.substr(0, equals);
    if (equals == std::string::npos) throw InputError("--set " + setting, "is not KEY=VALUE");
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError("--set " + setting,
                       fmt::format("changes nothing that is run; these do: {}", fmt::join(known, ", ")));
    set_option(options, key, setting.substr(equals + 1));
  }
  return options;
}

ReplayUpdate update_of(const Options& options) {
  const auto servers = options.software.servers.update.value_or(VariableUpdate::replicated);
  if (servers == VariableUpdate::distributed_replicated)
    throw InputError("--set variable_update=distributed_replicated", "is not run; replicated and parameter_server are");
  if (servers == VariableUpdate::parameter_server) {
    if (options.memory.sharding.value_or(workloads::StateSharding::none) != workloads::StateSharding::none)
      throw InputError("--set sharded_update=on", "the servers add up and update");
    return ReplayUpdate::servers;
  }
  return options.memory.sharding == workloads::StateSharding::optimizer ? ReplayUpdate::sharded
                                                                        : ReplayUpdate::replicated;
}

void set_parallelism(ReplayOrder& order, const std::string& text, int ranks) {
  const auto asked = parsed("--parallelism", text, [&](const std::string& t) { return parse_parallelism(t, ranks); });
  order.stages = asked.parallelism[Axis::pipeline];
  order.micro_batches = std::max(1, asked.micro_batches);
  const bool pipeline = asked.parallelism[Axis::data] == 1 && order.stages == ranks;
  if (asked.parallelism != data_parallel(ranks) && !pipeline)
    throw InputError("--parallelism", fmt::format("{} is not run; data={} and pipeline={} are", text, ranks, ranks));
}

void add_replay_options(CLI::App& command, ReplayOptions& options) {
  command.add_option("--workload", options.workload, "Model: a name (mlsim list workloads) or a YAML file")
      ->type_name("NAME|FILE");
  command.add_option("--batch", options.batch, "Samples per step on each rank; of a pipeline, on all its stages")
      ->type_name("N");
  command.add_option("--parallelism", options.parallelism, "data=RANKS (default) or pipeline=RANKS,micro_batches=N")
      ->type_name("AXIS=N,...");
  command.add_option("--backend", options.backend, "Library of the exchanges: gloo (default) or mpi")
      ->type_name("NAME");
  command.add_option("--steps", options.steps, "Steps to measure (20)")->type_name("N");
  command.add_option("--warmup", options.warm_up, "Steps before them (3)")->type_name("N");
  command.add_option("--threads", options.threads, "Threads of each rank's kernels (1)")->type_name("N");
  command
      .add_option("--set", options.settings,
                  "As of predict: optimizer, overlap, bucket, first_bucket, sharded_update, variable_update")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--output", options.output, "Run file to write")->type_name("RUN.json");
  command.add_option("--trace", options.trace, "Write the measured steps as a trace for ui.perfetto.dev")
      ->type_name("FILE.json");
}

// Chooses what a prediction would choose, so that both mean the same graph. Throws InputError naming the option
// that is wrong, Infeasible where the ranks cannot be laid out so.
ReplayOrder replay_order(const ReplayOptions& options, int ranks) {
  if (options.workload.empty()) throw InputError("replay needs --workload; `mlsim list workloads` shows what there is");
  const Model model = load_model(options.workload);
  if (options.batch.empty()) throw InputError("replay needs --batch, samples per step on each rank");
  check_word("--backend", options.backend, {"gloo", "mpi"});
  const Options settings = run_settings(options.settings);
  ReplayOrder order;
  order.workload = options.workload;
  order.batch = parsed_count("--batch", options.batch, 1);
  order.backend = options.backend;
  if (!options.steps.empty()) order.steps = parsed_count("--steps", options.steps, 1);
  if (!options.warm_up.empty()) order.warm_up = parsed_count("--warmup", options.warm_up, 0);
  if (!options.threads.empty()) order.threads = parsed_count("--threads", options.threads, 1);
  if (!options.parallelism.empty()) set_parallelism(order, options.parallelism, ranks);
  order.update = update_of(settings);
  if (order.stages > 1 && order.update != ReplayUpdate::replicated)
    throw InputError("--parallelism", "no two ranks of one pipeline have weights in common to update together");
  order.optimizer = name(settings.software.optimizer.value_or(usual_optimizers(model.family).front()));
  // Overlap and buckets are chosen as predictions choose them: servers get their gradients behind the backward pass,
  // and buckets exist to start early.
  order.overlap = settings.exchange.overlap.value_or(order.update != ReplayUpdate::servers);
  if (!order.overlap)
    order.bucket = order.first_bucket = Bytes(4) * static_cast<double>(std::max<std::int64_t>(1, model.parameters()));
  order.bucket = settings.exchange.bucket.value_or(order.bucket);
  order.first_bucket = settings.exchange.first_bucket.value_or(min(order.first_bucket, order.bucket));
  return order;
}

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
  const ReplayOrder order = replay_order(options, launch ? launch->ranks : 1);
  if (options.output.empty()) throw InputError("replay needs --output, the run file to write");
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
