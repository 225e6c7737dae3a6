#include "cli/validate/validate_options.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::cli {
namespace {

// A profile with kernels is never foreign: other accelerators learn from kernels, too.
void warn_of_foreign_profiles(const std::vector<std::string>& files, const std::vector<Case>& cases) {
  if (files.empty()) return;
  std::set<std::string> topologies, accelerators;
  for (const Case& each : cases) topologies.insert(each.topology);
  for (const std::string& topology : topologies) accelerators.insert(accelerator_of(topology));
  for (const std::string& file : files) {
    const Profile profile = load_profile(file);
    if (!profile.kernels.empty() || !profile.laws.empty() || accelerators.contains(profile.accelerator)) continue;
    say(fmt::format("--profile: {} changed nothing: it is of {}, on which no case was run", file, profile.accelerator));
  }
}

}  // namespace

CLI::App& add_way(CLI::App& validate, const std::string& way, const std::string& description,
                  const std::string& formats, ValidateOptions& options) {
  options.way = way;
  CLI::App& command = *validate.add_subcommand(way, description);
  command.add_option("--format", options.format, formats)->type_name("NAME");
  command.add_option("--output", options.output, "Write the table to this file instead of stdout")->type_name("FILE");
  command.footer("");  // not the program's, which CLI11 hands down
  command.add_flag("--quiet")->description("No progress on stderr");
  return command;
}

void add_way(CLI::App& validate, Action& action, const Way& way) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App& command = add_way(validate, way.name, way.description, way.formats, *options);
  if (way.uses != Uses::nothing) add_cases(command, *options);
  if (way.uses == Uses::simulation) {
    add_simulation(command, *options);
    add_board(command, *options);
  }
  command.callback([options, run = way.run, &action] { action = [options, run] { return run(*options); }; });
}

void add_profiles(CLI::App& command, ValidateOptions& options) {
  command
      .add_option("--profile", options.profiles, "Measured profile, JSON; may be given several times, the first wins")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_cases(CLI::App& command, ValidateOptions& options) {
  command
      .add_option("--cases", options.cases,
                  "Score this CSV file, whose columns `mlsim validate --help` shows, instead of the built-in cases")
      ->type_name("FILE");
  add_profiles(command, options);
}

void add_simulation(CLI::App& command, ValidateOptions& options) {
  command.add_option("--fidelity", options.fidelity, "closed (default), folded, fluid or message")->type_name("NAME");
  command.add_option("--time-limit", options.time_limit, "For each case, as 30s; a slower one is refused")
      ->type_name("TIME");
}

void add_board(CLI::App& command, ValidateOptions& options) {
  command.add_option("--board", options.board, "Write every case with its prediction to this file, CSV")
      ->type_name("FILE");
}

ValidationOptions simulation_of(const ValidateOptions& options) {
  ValidationOptions how;
  if (!options.fidelity.empty()) how.fidelity = worded<Fidelity>("--fidelity", options.fidelity);
  if (!options.time_limit.empty()) how.answering.time_limit = parsed_time_limit(options.time_limit);
  how.profiles = profiles_with(options.profiles);
  how.answering.say = say;
  return how;
}

std::vector<Case> asked_cases(const ValidateOptions& options) {
  std::vector<Case> cases = options.cases.empty() ? published_cases() : load_cases(options.cases);
  warn_of_foreign_profiles(options.profiles, cases);
  return cases;
}

void require_rows(bool any, const ValidateOptions& options, const char* wanted) {
  if (!any)
    throw InputError(options.cases.empty() ? "validate " + options.way : options.cases,
                     fmt::format("there is nothing to compare: {}", wanted));
}

}  // namespace mlsim::cli
