#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "core/errors.hpp"
#include "sim/fidelity.hpp"
#include "validation/report.hpp"
#include "validation/validate.hpp"

namespace mlsim {
namespace {

struct ValidateOptions {
  std::string what, cases, format = "text", output, fidelity = "folded";
  std::vector<std::string> profiles;
  bool quiet = false;
};

std::string report_text(const ValidationReport& report, const std::string& format) {
  if (format == "json") return to_json(report);
  return format == "markdown" ? to_markdown(report) : to_text(report);
}

int run_validate(const ValidateOptions& options) {
  if (options.what.empty()) throw InputError("validate needs to know what: published");
  check_word("validate", options.what, {"published"});
  check_word("--format", options.format, {"text", "json", "markdown"});
  check_word("--fidelity", options.fidelity, fidelity_names());
  ValidationOptions how;
  how.fidelity = parse_fidelity(options.fidelity);
  for (const auto& path : options.profiles) how.profiles.push_back(load_profile(path));
  for (auto& profile : builtin_profiles()) how.profiles.push_back(std::move(profile));
  if (!options.quiet && isatty(STDERR_FILENO) != 0) {
    how.progress = [](int done, int all) {
      fmt::print(stderr, "\rmlsim: {} of {} cases{}", done, all, done == all ? "\n" : "");
    };
  }
  const auto cases = options.cases.empty() ? published_cases() : load_cases(options.cases);
  const ValidationReport report = validate_published(cases, how);
  write_result(options.output, report_text(report, options.format));
  return exit_status(report);
}

}  // namespace

void add_validate(CLI::App& app, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Predictions against runs that really happened; exit 1 beyond the bound");
  command->add_option("what", options->what, "published");
  command->add_option("--cases", options->cases, "Score this CSV file instead of the built-in cases")
      ->type_name("FILE");
  command->add_option("--fidelity", options->fidelity, "closed, folded (default), fluid or message")->type_name("NAME");
  command
      ->add_option("--profile", options->profiles, "Measured profile, JSON; may be given several times, the first wins")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--format", options->format, "text (default), json or markdown")->type_name("NAME");
  command->add_option("--output", options->output, "Write the table to this file instead of stdout")->type_name("FILE");
  command->add_flag("--quiet", options->quiet, "No progress on stderr");
  command->footer(
      "Columns of a CSV file of cases: id, source, topology, accelerators, workload, precision, global_batch,\n"
      "options, metric, value, unit, relative_uncertainty, role (anchor or check), citation.\n\n"
      "Example:\n  mlsim validate published --format markdown --output docs/accuracy.md");
  command->callback([options, &action] { action = [options] { return run_validate(*options); }; });
}

}  // namespace mlsim
