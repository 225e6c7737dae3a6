// `mlsim validate replay` compares a run of `mlsim replay` with its prediction.
#include <cmath>
#include <memory>

#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/program.hpp"
#include "cli/validate/validate_options.hpp"
#include "core/profile/profile.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "replay/validation/replay_error.hpp"
#include "replay/validation/replay_question.hpp"
#include "reports/pages/pages.hpp"

namespace mlsim::cli {
namespace {

constexpr double kUsualBound = 0.25;

struct ReplayErrorOptions : ValidateOptions {
  std::vector<std::string> files;
  std::string topology, bound;
};

void check_replay_options(const ReplayErrorOptions& options) {
  if (options.files.size() != 1) throw InputError("validate replay needs the one run file that `mlsim replay` wrote");
  if (options.profiles.size() != 1)
    throw InputError("--profile", "is needed once: what `mlsim calibrate` measured on these hosts before the run");
  if (options.topology.empty())
    throw InputError("--topology", "is needed, the machine that ran it: `mlsim topology --profile " +
                                       options.profiles.front() + "` writes it; between hosts it needs their NICs");
}

// The exit code is 1 beyond the bound.
int validate_replay(const ReplayErrorOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  check_replay_options(options);
  const double bound = options.bound.empty() ? kUsualBound : parsed_share("--bound", options.bound);
  const std::string &file = options.files.front(), &profile_file = options.profiles.front();
  const ReplayRun run = replay_run_from_json(read_text_file(file), file);
  const Profile profile = load_profile(profile_file);
  check_profile(run, profile, {file, profile_file});
  const ReplayError error = replay_error(run, replay_question(run, profile, options.topology), file);
  write_result(options.output, options.format == "json"
                                   ? to_json(JudgedReplay{replay_title(run), run.time, error, bound})
                                   : terminal_text(replay_error_page(run, error, bound)));
  return std::abs(error.relative()) <= bound ? kDoneCode : kNegativeCode;
}

}  // namespace

void add_validate_replay(CLI::App& validate, Action& action) {
  auto options = std::make_shared<ReplayErrorOptions>();
  CLI::App& command =
      add_way(validate, "replay", "A run of mlsim replay, and what the error of its prediction is made of",
              "text (default) or json", *options);
  command.add_option("files", options->files, "The run file that mlsim replay wrote")->type_name("FILE");
  add_profiles(command, *options);
  command.add_option("--topology", options->topology, "The system that it ran on")->type_name("NAME|FILE");
  command.add_option("--bound", options->bound, "The error that is borne, as 25% (default)")->type_name("SHARE");
  command.callback([options, &action] { action = [options] { return validate_replay(*options); }; });
}

}  // namespace mlsim::cli
