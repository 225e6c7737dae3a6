#include "cli/validate_replay.hpp"

#include <cmath>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "core/profile/profile.hpp"
#include "core/text/errors.hpp"
#include "core/text/text_file.hpp"
#include "reports/pages/replay_error_page.hpp"
#include "validation/replay/replay_error.hpp"
#include "validation/replay/replay_question.hpp"

namespace mlsim::cli {
namespace {

constexpr double kUsualBound = 0.25;

void check_replay_options(const TraceOptions& options, const std::vector<std::string>& profiles) {
  TraceOptions others = options;
  others.files.clear();
  others.topology.clear();
  others.bound.clear();
  refuse_trace_options(others);
  if (options.files.size() != 1) throw InputError("validate replay needs the one run file that `mlsim replay` wrote");
  if (profiles.size() != 1)
    throw InputError("--profile", "is needed once: what `mlsim calibrate` measured on these hosts before the run");
  if (options.topology.empty())
    throw InputError("--topology", "is needed, the machine that ran it: `mlsim topology --profile " + profiles.front() +
                                       "` writes it; between hosts it needs their NICs");
}

}  // namespace

int validate_replay(const TraceOptions& options, const std::vector<std::string>& profiles, const std::string& format,
                    const std::string& output) {
  check_word("--format", format, {"text", "json"});
  check_replay_options(options, profiles);
  const double bound = options.bound.empty() ? kUsualBound : parsed_share("--bound", options.bound);
  const std::string &file = options.files.front(), &profile_file = profiles.front();
  const ReplayRun run = replay_run_from_json(read_text_file(file), file);
  const Profile profile = load_profile(profile_file);
  check_profile(run, profile, {file, profile_file});
  const ReplayError error = replay_error(run, replay_question(run, profile, options.topology), file);
  write_result(output, format == "json" ? replay_error_json(run, error, bound)
                                        : terminal_text(replay_error_page(run, error, bound)));
  return std::abs(error.relative()) <= bound ? kDoneCode : kNegativeCode;
}

}  // namespace mlsim::cli
