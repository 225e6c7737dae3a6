#include "cli/validate_trace.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "core/text/errors.hpp"
#include "core/text/parsed.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "reports/pages/trace_validation_page.hpp"
#include "reports/pages/traces_section.hpp"
#include "reports/renderers/markdown.hpp"
#include "reports/validation/trace_validation_json.hpp"
#include "sim/options/option_rules.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/defects.hpp"
#include "validation/trace/published_traces.hpp"
#include "validation/trace/recorded_steps.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::cli {
namespace {

// One table of recorded steps, or a profiler's file of each rank.
replay::RecordedRun recorded_files(const std::vector<std::string>& files) {
  if (files.size() == 1 && files.front().ends_with(".csv")) return load_recorded_steps(files.front());
  return replay::recorded_run(replay::load_traces(files));
}

// "32", "32:16" or "32:half".
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

// Slow ranks are a what-if; the rest says how collectives run.
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

TraceQuestion question_of(const TraceOptions& options, const std::vector<std::string>& profiles) {
  TraceQuestion question;
  question.topology = options.topology;
  question.profiles = profiles_with(profiles);
  question.model = model_of(options);
  question.what_if.topology = options.instead;
  if (!options.bound.empty()) question.bound = parsed_share("--bound", options.bound);
  if (!options.ranks.empty())
    question.what_if.ranks =
        parsed("--ranks", options.ranks, [](const std::string& text) { return parse_count(text); });
  read_settings(question, options.settings);
  return question;
}

void refuse_all(const TraceOptions& options, const char* why) {
  if (!options.files.empty()) throw InputError(options.files.front(), why);
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw InputError(option, why);
  };
  refuse(!options.topology.empty(), "--topology");
  refuse(!options.bound.empty(), "--bound");
  refuse(!options.ranks.empty(), "--ranks");
  refuse(!options.instead.empty(), "--instead");
  refuse(!options.settings.empty(), "--set");
  refuse(!options.workload.empty(), "--workload");
  refuse(!options.batch.empty(), "--batch");
  refuse(!options.precision.empty(), "--precision");
  refuse(options.published, "--published");
}

// Real runs that others recorded.
int run_published_traces(const TraceOptions& options, const std::vector<std::string>& profiles,
                         const std::string& format, const std::string& output) {
  TraceOptions alone = options;
  alone.published = false;
  refuse_all(alone, "is of no use beside --published, whose steps come with mlsim");
  check_word("--format", format, {"text", "markdown"});
  const auto results = validate_published_traces(profiles_with(profiles));
  write_result(output, format == "markdown" ? page_markdown({"Accuracy", {}, {traces_section(results)}, ""})
                                            : terminal_text(traces_page(results)));
  return exit_status(results);
}

}  // namespace

void add_trace_options(CLI::App& command, TraceOptions& options) {
  command
      .add_option("files", options.files,
                  "trace: what the PyTorch profiler of each rank wrote, .json or .json.gz, or one table of recorded "
                  "steps, .csv; replay: the run file")
      ->type_name("FILE");
  command
      .add_option("--topology", options.topology,
                  "trace, replay: the system that it ran on; collectives are simulated there")
      ->type_name("NAME|FILE");
  command.add_option("--bound", options.bound, "trace, replay: the error that is borne, as 25% (default)")
      ->type_name("SHARE");
  command.add_option("--ranks", options.ranks, "trace, what if: so many ranks; needs the file of one rank alone")
      ->type_name("N");
  command.add_option("--instead", options.instead, "trace, what if: on this system, of the same accelerators")
      ->type_name("NAME|FILE");
  command
      .add_option("--set", options.settings,
                  "trace, what if: slow_rank=R:FACTOR; and how collectives run: communicator=, algorithm=")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--workload", options.workload, "trace: the model, for what laws of its kernels say beside")
      ->type_name("NAME|FILE");
  command
      .add_option("--batch", options.batch,
                  "trace: samples of a rank, as recorded; 32:16 or 32:half, what if: with kernels as their laws say")
      ->type_name("N[:N]");
  command.add_option("--precision", options.precision, "trace: of the model, fp32, tf32, fp16, bf16 or fp8")
      ->type_name("FORMAT");
  command.add_flag("--published", options.published, "trace: steps of real runs that come with mlsim, each replayed");
}

void refuse_trace_options(const TraceOptions& options) { refuse_all(options, "is of validate trace and replay alone"); }

int run_validate_trace(const TraceOptions& options, const std::vector<std::string>& profiles, const std::string& format,
                       const std::string& output) {
  if (options.published) return run_published_traces(options, profiles, format, output);
  check_word("--format", format, {"text", "json"});
  if (options.files.empty())
    throw InputError("FILE", "is needed behind trace: what the PyTorch profiler of each rank wrote");
  const TraceValidation validation = validate_trace(recorded_files(options.files), question_of(options, profiles));
  write_result(output,
               format == "json" ? trace_validation_json(validation) : terminal_text(trace_validation_page(validation)));
  return exit_status(validation);
}

}  // namespace mlsim::cli
