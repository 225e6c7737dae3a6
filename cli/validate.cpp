#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/notice.hpp"
#include "cli/report_file.hpp"
#include "cli/terminal.hpp"
#include "cli/validate_replay.hpp"
#include "cli/validate_trace.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/left_out_page.hpp"
#include "reports/pages/questions_page.hpp"
#include "reports/pages/validation_page.hpp"
#include "reports/renderers/markdown.hpp"
#include "reports/validation/convergence_errors_json.hpp"
#include "reports/validation/questions_json.hpp"
#include "reports/validation/transfer_errors_json.hpp"
#include "reports/validation/validation_json.hpp"
#include "sim/engine/fidelity.hpp"
#include "topologies/build_cluster.hpp"
#include "validation/questions/questions.hpp"
#include "validation/scores/anchor_speeds.hpp"
#include "validation/scores/time_rates.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kValidateForms =
    "WHAT is one of\n"
    "  published    runs that others published, as their tables state them (text, json, markdown)\n"
    "  questions    the same, asked nine ways: from as a planner asks to as the tables state it (text, json, "
    "markdown)\n"
    "  convergence  epochs to target, each result left out and predicted from the others (text, json)\n"
    "  transfer     runs on one accelerator from runs on another (text, json)\n"
    "  anchors      the speed of kernels that each anchor gives, as a factor on the efficiency curve (CSV)\n"
    "  rates        the throughput that each time to a target gives (CSV)\n"
    "  trace        a recorded step, replayed with its collectives simulated (text, json; --published: text, "
    "markdown)\n"
    "  replay       a run of mlsim replay, and what the error of its prediction is made of (text, json)\n\n"
    "Columns of a CSV file of cases: id, source, topology, accelerators, workload, precision, global_batch,\n"
    "options, metric, value, unit, relative_uncertainty, role (anchor or check), citation.\n\n"
    "Examples:\n  mlsim validate questions --format markdown --output docs/accuracy.md\n"
    "  mlsim validate trace rank*.json.gz --topology dgx-a100:nodes=2\n"
    "  mlsim validate replay run.json --profile profile.json --topology machine.yaml";

constexpr const char* kNoChecks = "no row that the question is asked of is a check";

struct ValidateOptions {
  std::string what, cases, format = "text", output, fidelity, time_limit, report, ask, hide, anchors;
  PageOrigin origin;
  std::vector<std::string> profiles;
  TraceOptions trace;
};

std::set<std::string> topologies_of(const std::vector<Case>& cases) {
  std::set<std::string> topologies;
  for (const Case& each : cases) topologies.insert(each.topology);
  return topologies;
}

std::string report_text(const ValidationReport& report, const std::string& format) {
  if (format == "json") return validation_json(report);
  return format == "markdown" ? page_markdown({"Against published runs", {}, published_sections(report), ""})
                              : terminal_text(validation_page(report));
}

// A median over no rows says nothing.
void require_rows(bool any, const ValidateOptions& options, const char* wanted) {
  if (!any)
    throw InputError(options.cases.empty() ? "validate " + options.what : options.cases,
                     fmt::format("there is nothing to compare: {}", wanted));
}

void refuse(bool given, const char* option, const char* why) {
  if (given) throw InputError(option, why);
}

// The value of that name, else the plain question's.
template <class E>
E worded(const char* option, const std::string& word) {
  if (word.empty()) return E{};
  check_word(option, word, names<E>());
  return parse<E>(word);
}

Fidelity fidelity_of(const ValidateOptions& options) {
  return options.fidelity.empty() ? ValidationOptions().fidelity : worded<Fidelity>("--fidelity", options.fidelity);
}

Asking asking_of(const ValidateOptions& options) {
  return {worded<Telling>("--ask", options.ask), worded<Hidden>("--hide", options.hide),
          worded<AnchorSizes>("--anchors", options.anchors)};
}

void refuse_question(const ValidateOptions& options) {
  const char* const why = "is of validate published alone";
  refuse(!options.report.empty(), "--report", why);
  refuse(!options.ask.empty(), "--ask", why);
  refuse(!options.hide.empty(), "--hide", why);
  refuse(!options.anchors.empty(), "--anchors", why);
}

// Of what has a way of its own to ask.
void refuse_how_asked(const ValidateOptions& options, const char* why) {
  refuse(!options.fidelity.empty(), "--fidelity", why);
  refuse(!options.time_limit.empty(), "--time-limit", why);
  refuse_question(options);
}

// Published epochs left out of the convergence tables. Nothing is simulated.
int run_validate_convergence(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const char* const why = "is of no use to validate convergence, which simulates nothing";
  refuse(!options.cases.empty(), "--cases", why);
  refuse(!options.profiles.empty(), "--profile", why);
  refuse_how_asked(options, why);
  const ConvergenceErrors errors = convergence_errors();
  write_result(options.output,
               options.format == "json" ? convergence_errors_json(errors) : terminal_text(convergence_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

// Of kernels other accelerators learn, too.
void warn_of_foreign_profiles(const std::vector<std::string>& files, const std::vector<Case>& cases) {
  if (files.empty()) return;
  std::set<std::string> accelerators;
  for (const std::string& topology : topologies_of(cases)) accelerators.insert(accelerator_of(topology));
  for (const std::string& file : files) {
    const Profile profile = load_profile(file);
    if (!profile.kernels.empty() || !profile.laws.empty() || accelerators.contains(profile.accelerator)) continue;
    say(fmt::format("--profile: {} changed nothing: it is of {}, on which no case was run", file, profile.accelerator));
  }
}

// The cases that are asked for.
std::vector<Case> asked_cases(const ValidateOptions& options) {
  std::vector<Case> cases = options.cases.empty() ? published_cases() : load_cases(options.cases);
  warn_of_foreign_profiles(options.profiles, cases);
  return cases;
}

// Published runs of one accelerator from those of another.
int run_validate_transfer(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  refuse(!options.fidelity.empty(), "--fidelity",
         "is of no use to validate transfer: one accelerator exchanges nothing");
  refuse(!options.time_limit.empty(), "--time-limit", "is of no use to validate transfer: its cases take no time");
  refuse_question(options);
  const auto cases = asked_cases(options);
  const TransferErrors errors = transfer_errors(cases, profiles_with(options.profiles));
  require_rows(!errors.checks.empty(), options,
               "no run on one V100 or A100 has its like on one accelerator of the generation before");
  write_result(options.output,
               options.format == "json" ? transfer_errors_json(errors) : terminal_text(transfer_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

// The factor on its curve that each anchor gives.
int run_validate_anchors(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  refuse_how_asked(options, "is of no use to validate anchors, whose steps are costed in closed form");
  const auto cases = asked_cases(options);
  AnswerOptions how;
  how.say = say;
  const auto speeds = anchor_speeds(cases, profiles_with(options.profiles), how);
  require_rows(!speeds.empty(), options, "no row is an anchor whose step can be asked");
  write_result(options.output, anchor_speeds_csv(speeds));
  return 0;
}

// The rates that times to a target give, as a table of anchors.
int run_validate_rates(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  refuse_how_asked(options, "is of no use to validate rates, whose jobs are asked by their rate");
  const auto cases = asked_cases(options);
  AnswerOptions how;
  how.say = say;
  const auto rates = time_rates(cases, profiles_with(options.profiles), how);
  require_rows(!rates.empty(), options, "no row is an input that says a time to accuracy");
  write_result(options.output, time_rates_csv(rates));
  return 0;
}

// All questions, from asked plainly to asked with a sibling named.
int run_validate_questions(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json", "markdown"});
  refuse_question(options);
  ValidationOptions how;
  how.fidelity = fidelity_of(options);
  if (!options.time_limit.empty()) how.answering.time_limit = parsed_time_limit(options.time_limit);
  how.profiles = profiles_with(options.profiles);
  how.answering.say = say;
  const auto cases = asked_cases(options);
  ValidationReport plain;
  const auto scores = ask_all(cases, how, [&](const ValidationReport& report) { plain = report; });
  require_rows(!plain.groups.empty(), options, kNoChecks);
  write_result(options.output,
               options.format == "json" ? questions_json(scores)
               : options.format == "markdown"
                   ? page_markdown(accuracy_page(scores, validate_published_traces(how.profiles), plain))
                   : terminal_text(questions_page(scores)));
  return exit_status(plain);
}

// What a run, recorded or of `mlsim replay`, has no use for.
void refuse_cases(const ValidateOptions& options, const char* why) {
  refuse(!options.cases.empty(), "--cases", why);
  refuse_how_asked(options, why);
}

// A recorded step against the same step replayed.
int run_trace(const ValidateOptions& options) {
  refuse_cases(options, "is of no use to validate trace");
  return run_validate_trace(options.trace, options.profiles, options.format, options.output);
}

// A run of `mlsim replay` against its prediction.
int run_validate_replay(const ValidateOptions& options) {
  refuse_cases(options, "is of no use to validate replay, whose one case is the run");
  return validate_replay(options.trace, options.profiles, options.format, options.output);
}

int run_validate(const ValidateOptions& options) {
  if (options.what.empty())
    throw InputError(
        "validate needs to know what: published, questions, convergence, transfer, anchors, rates, trace or replay");
  check_word("validate", options.what,
             {"published", "questions", "convergence", "transfer", "anchors", "rates", "trace", "replay"});
  if (options.what == "trace") return run_trace(options);
  if (options.what == "replay") return run_validate_replay(options);
  refuse_trace_options(options.trace);
  if (options.what == "questions") return run_validate_questions(options);
  if (options.what == "anchors") return run_validate_anchors(options);
  if (options.what == "rates") return run_validate_rates(options);
  if (options.what == "convergence") return run_validate_convergence(options);
  if (options.what == "transfer") return run_validate_transfer(options);
  check_word("--format", options.format, {"text", "json", "markdown"});
  ValidationOptions how;
  how.fidelity = fidelity_of(options);
  if (!options.time_limit.empty()) how.answering.time_limit = parsed_time_limit(options.time_limit);
  how.asking = asking_of(options);
  how.profiles = profiles_with(options.profiles);
  how.answering.say = say;
  check_report_path("--report", options.report);
  const auto cases = asked_cases(options);
  const ValidationReport report = validate_published(cases, how);
  require_rows(!report.groups.empty(), options, kNoChecks);
  std::vector<OutputFile> files;
  if (!options.report.empty()) files.push_back(report_file(validation_report(report, options.origin), options.report));
  write_result(options.output, report_text(report, options.format), files);
  return exit_status(report);
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Predictions against runs that really happened; exit 1 beyond the bound");
  command->add_option("WHAT", options->what, "What to predict and hold against what was measured; see below")
      ->type_name("");
  add_trace_options(*command, options->trace);
  command->add_option("--cases", options->cases, "Score this CSV file instead of the built-in cases")
      ->type_name("FILE");
  command->add_option("--fidelity", options->fidelity, "closed (default), folded, fluid or message")->type_name("NAME");
  command
      ->add_option("--profile", options->profiles, "Measured profile, JSON; may be given several times, the first wins")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--ask", options->ask, "as-stated (default), or as-asked: no stack, recipe, optimizer or data named")
      ->type_name("NAME");
  command
      ->add_option("--hide", options->hide,
                   "Take away what each case leans on: own (its publisher's tables), table, network, chip, release, or "
                   "era (its MLPerf round and later ones)")
      ->type_name("NAME");
  command->add_option("--anchors", options->anchors, "all (default), or one-box: cases on several nodes from one node")
      ->type_name("NAME");
  command->add_option("--time-limit", options->time_limit, "For each case, as 30s; a slower one is refused")
      ->type_name("TIME");
  command->add_option("--format", options->format, "text (default), json or markdown; see below")->type_name("NAME");
  command->add_option("--output", options->output, "Write the table to this file instead of stdout")->type_name("FILE");
  add_report_option(*command, options->report);
  command->add_flag("--quiet")->description("No progress on stderr");
  command->footer(kValidateForms);
  command->callback([options, command, &action] {
    options->origin = page_origin(*command);
    action = [options] { return run_validate(*options); };
  });
}

}  // namespace mlsim::cli
