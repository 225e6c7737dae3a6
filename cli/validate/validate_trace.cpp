// `mlsim validate trace` compares a recorded step with the same step replayed.
#include <memory>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/validate/validate_options.hpp"
#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/split.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"
#include "replay/validation/published_traces.hpp"
#include "replay/validation/recorded_steps.hpp"
#include "replay/validation/trace_validation.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/options/options_text.hpp"
#include "studies/sweep/sweep_axis.hpp"
#include "topologies/cluster/defects.hpp"

namespace mlsim::cli {
namespace {

struct TraceOptions : ValidateOptions {
  std::vector<std::string> files;
  std::string topology, bound, ranks, instead, batch, workload, precision;
  std::vector<std::string> settings;
  bool published = false;
};

// A pipeline's operations have neither collectives to be simulated nor kernels to be scaled.
TraceValidation validate_table(const TraceOptions& options, const TraceQuestion& question) {
  const std::string& file = options.files.front();
  const std::string text = read_text_file(file);
  if (!is_pipeline_header(parse_csv(text, file).header))
    return validate_trace(parse_recorded_steps(text, file), question);
  for (const auto& [option, given] :
       std::vector<std::pair<const char*, bool>>{{"--topology", !options.topology.empty()},
                                                 {"--ranks", !options.ranks.empty()},
                                                 {"--instead", !options.instead.empty()},
                                                 {"--set", !options.settings.empty()},
                                                 {"--workload", !options.workload.empty()}})
    if (given) throw InputError(option, "is of no use to a pipeline's operations, which are replayed as they were");
  return validate_pipeline(parse_pipeline_record(text, file), question.bound);
}

// Reads one table, of recorded steps or of a pipeline's operations, or a profiler's file of each rank.
TraceValidation validated_files(const TraceOptions& options, const TraceQuestion& question) {
  if (options.files.size() == 1 && options.files.front().ends_with(".csv")) return validate_table(options, question);
  return validate_trace(recorded_run(load_traces(options.files)), question);
}

// Parses "32", "32:16" or "32:half".
void read_batch(TraceModel& model, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const auto count = [](const std::string& word) { return static_cast<double>(parse_count(word)); };
  if (parts.size() > 2) throw InputError("--batch", "\"" + text + "\" is neither RECORDED nor RECORDED:OTHER");
  model.batch = parsed("--batch", parts[0], count);
  if (parts.size() == 1) return;
  model.other_batch = parts[1] == "half" ? model.batch / 2 : parsed("--batch", parts[1], count);
}

std::optional<TraceModel> model_of(const TraceOptions& options) {
  if (options.workload.empty() != options.batch.empty())
    throw InputError(options.batch.empty() ? "--batch" : "--workload",
                     options.batch.empty() ? "is needed beside --workload: samples of a rank, as recorded"
                                           : "is needed beside --batch: laws of its kernels scale the recorded ones");
  if (options.workload.empty()) {
    if (!options.precision.empty()) throw InputError("--precision", "is of no use without --workload");
    return {};
  }
  TraceModel model;
  model.workload = options.workload;
  if (!options.precision.empty()) model.precision = parsed("--precision", options.precision, parse<Precision>);
  read_batch(model, options.batch);
  return model;
}

// Slow ranks are a what-if; the other settings say how collectives run.
void read_settings(TraceQuestion& question, const std::vector<std::string>& settings) {
  const std::string slow = "slow_rank=";
  std::string exchange;
  for (const std::string& setting : settings) {
    if (!setting.starts_with(slow)) {
      exchange += setting + ";";
      continue;
    }
    const auto rank = parsed("--set " + setting, setting.substr(slow.size()), parse_slow_rank);
    question.what_if.slowdowns[rank.rank] = 1 / rank.factor;
  }
  question.options = parse_options(exchange);
  check_collective(question.options);
}

TraceQuestion question_of(const TraceOptions& options) {
  TraceQuestion question;
  question.topology = options.topology;
  question.profiles = profiles_with(options.profiles);
  question.model = model_of(options);
  question.what_if.topology = options.instead;
  if (!options.bound.empty()) question.bound = parsed_share("--bound", options.bound);
  if (!options.ranks.empty())
    for (const std::string& count : studies::parse_axis("--ranks", "accelerators", options.ranks).values)
      question.what_if.ranks.push_back(
          parsed("--ranks", count, [](const std::string& text) { return parse_count(text); }));
  read_settings(question, options.settings);
  return question;
}

// Replays real runs that others recorded.
int validate_recorded(const TraceOptions& options) {
  check_word("--format", options.format, {"text", "markdown"});
  const auto results = validate_published_traces(profiles_with(options.profiles));
  write_result(options.output, options.format == "markdown"
                                   ? page_markdown({"Accuracy", {}, {traces_section(results)}, ""})
                                   : terminal_text(traces_page(results)));
  return exit_status(results);
}

// The exit code is 1 beyond the bound.
int validate_trace_files(const TraceOptions& options) {
  if (options.published) return validate_recorded(options);
  check_word("--format", options.format, {"text", "json"});
  if (options.files.empty())
    throw InputError("FILE", "is needed behind trace: what the PyTorch profiler of each rank wrote");
  const TraceValidation validation = validated_files(options, question_of(options));
  write_result(options.output,
               options.format == "json" ? to_json(validation) : terminal_text(trace_validation_page(validation)));
  return exit_status(validation);
}

// Adds the options that count for files alone.
std::vector<CLI::Option*> add_file_options(CLI::App& command, TraceOptions& options) {
  return {
      command
          .add_option("files", options.files,
                      "What the PyTorch profiler of each rank wrote, .json or .json.gz, or one table, .csv: of "
                      "recorded steps, or "
                      "of a pipeline's operations, as diagnose takes it")
          ->type_name("FILE"),
      command.add_option("--topology", options.topology, "The system that it ran on; collectives are simulated there")
          ->type_name("NAME|FILE"),
      command.add_option("--bound", options.bound, "The error that is borne, as 25% (default)")->type_name("SHARE"),
      command
          .add_option("--ranks", options.ranks,
                      "What if: so many ranks, 64 or 16..1024; needs the file of one rank alone")
          ->type_name("N[..N]"),
      command.add_option("--instead", options.instead, "What if: on this system, of the same accelerators")
          ->type_name("NAME|FILE"),
      command
          .add_option("--set", options.settings,
                      "What if: slow_rank=R:FACTOR; and how collectives run: communicator=, algorithm=")
          ->type_name("KEY=VALUE")
          ->allow_extra_args(false),
      command.add_option("--workload", options.workload, "The model, for what laws of its kernels say beside")
          ->type_name("NAME|FILE"),
      command
          .add_option("--batch", options.batch,
                      "Samples of a rank, as recorded; 32:16 or 32:half, what if: with kernels as their laws say")
          ->type_name("N[:N]"),
      command.add_option("--precision", options.precision, "Of the model, as of predict")->type_name("FORMAT")};
}

}  // namespace

void add_validate_trace(CLI::App& validate, Action& action) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App& command = add_way(validate, "trace", "A recorded step, replayed with its collectives simulated",
                              "text (default) or json; of --published text or markdown", *options);
  add_profiles(command, *options);
  CLI::Option* const published =
      command.add_flag("--published", options->published, "Steps of real runs that come with mlsim, each replayed");
  for (CLI::Option* option : add_file_options(command, *options)) published->excludes(option);
  command.callback([options, &action] { action = [options] { return validate_trace_files(*options); }; });
}

}  // namespace mlsim::cli
