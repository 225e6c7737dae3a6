#include "cli/commands/replay_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/units_text.hpp"
#include "sim/options/options_text.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

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
    if (options.memory.sharded_update.value_or(false))
      throw InputError("--set sharded_update=on", "the servers add up and update");
    return ReplayUpdate::servers;
  }
  return options.memory.sharded_update.value_or(false) ? ReplayUpdate::sharded : ReplayUpdate::replicated;
}

void set_parallelism(ReplayOrder& order, const std::string& text, int ranks) {
  const auto asked = parsed("--parallelism", text, [&](const std::string& t) { return parse_parallelism(t, ranks); });
  order.stages = asked.parallelism[Axis::pipeline];
  order.micro_batches = std::max(1, asked.micro_batches);
  const bool pipeline = asked.parallelism[Axis::data] == 1 && order.stages == ranks;
  if (asked.parallelism != data_parallel(ranks) && !pipeline)
    throw InputError("--parallelism", fmt::format("{} is not run; data={} and pipeline={} are", text, ranks, ranks));
}

}  // namespace

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

ReplayOrder replay_order(const ReplayOptions& options, int ranks) {
  if (options.workload.empty()) throw InputError("replay needs --workload; `mlsim list workloads` shows what there is");
  if (options.batch.empty()) throw InputError("replay needs --batch, samples per step on each rank");
  check_word("--backend", options.backend, {"gloo", "mpi"});
  const Options settings = run_settings(options.settings);
  const Model model = load_model(options.workload);
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

}  // namespace mlsim::cli
