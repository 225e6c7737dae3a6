#include "cli/validate_trace.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/report_file.hpp"
#include "core/errors.hpp"
#include "core/parsed.hpp"
#include "core/units_text.hpp"
#include "reports/validation/trace_validation_json.hpp"
#include "reports/validation/trace_validation_text.hpp"
#include "sim/options/options_text.hpp"
#include "validation/trace/recorded_steps.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::cli {
namespace {

// One table of recorded steps, or a profiler's file of each rank.
replay::RecordedRun recorded_files(const std::vector<std::string>& files) {
  if (files.size() == 1 && files.front().ends_with(".csv")) return load_recorded_steps(files.front());
  return replay::recorded_run(replay::load_traces(files));
}

// "25%", "25 %" or "0.25".
double share_of(const std::string& option, const std::string& text) {
  std::string number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.pop_back();
  while (number.ends_with(' ')) number.pop_back();
  return parsed(option, number, [&](const std::string& digits) {
    const double value = parse_number(digits) / (percent ? 100 : 1);
    if (value < 0) throw InputError("is below 0");
    return value;
  });
}

}  // namespace

void add_trace_options(CLI::App& command, TraceOptions& options) {
  command
      .add_option("files", options.files,
                  "trace: what the PyTorch profiler of each rank wrote, .json or .json.gz, or one table of recorded "
                  "steps, .csv")
      ->type_name("FILE");
  command
      .add_option("--topology", options.topology,
                  "trace: the system that it was recorded on; collectives are simulated there")
      ->type_name("NAME|FILE");
  command.add_option("--bound", options.bound, "trace: the error that is borne, as 25% (default)")->type_name("SHARE");
}

void refuse_trace_options(const TraceOptions& options) {
  const char* const why = "is of validate trace alone";
  if (!options.files.empty()) throw InputError(options.files.front(), why);
  if (!options.topology.empty()) throw InputError("--topology", why);
  if (!options.bound.empty()) throw InputError("--bound", why);
}

int run_validate_trace(const TraceOptions& options, const std::vector<std::string>& profiles, const std::string& format,
                       const std::string& output) {
  check_word("--format", format, {"text", "json"});
  if (options.files.empty())
    throw InputError("FILE", "is needed behind trace: what the PyTorch profiler of each rank wrote");
  for (const std::string& file : options.files)
    if (same_file(file, output)) throw InputError("--output", file + " is a trace that is read; choose another file");
  TraceQuestion question;
  question.topology = options.topology;
  question.profiles = profiles_with(profiles);
  if (!options.bound.empty()) question.bound = share_of("--bound", options.bound);
  const TraceValidation validation = validate_trace(recorded_files(options.files), question);
  write_result(output, format == "json" ? trace_validation_json(validation) : trace_validation_text(validation));
  return exit_status(validation);
}

}  // namespace mlsim::cli
