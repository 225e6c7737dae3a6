#include "cli/validate_replay.hpp"

#include <cmath>

#include "calibrate/builtin_profiles.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "core/errors.hpp"
#include "core/profile.hpp"
#include "core/text_file.hpp"
#include "core/units_text.hpp"
#include "reports/validation/replay_error_text.hpp"
#include "validation/replay/replay_error.hpp"
#include "validation/replay/replay_question.hpp"

namespace mlsim::cli {
namespace {

// "25%", "25 %" or 0.25; 25 % where nothing is said.
double parsed_bound(const std::string& text) {
  if (text.empty()) return 0.25;
  const auto percent = text.find('%');
  const double number = parsed("--bound", text.substr(0, text.find_last_not_of(" %") + 1),
                               [](const std::string& t) { return parse_number(t); });
  const double bound = percent == std::string::npos ? number : number / 100;
  if (!(bound > 0) || bound > 10) throw InputError("--bound", "\"" + text + "\" is no share of the step, as 25% is");
  return bound;
}

}  // namespace

int validate_replay(const ReplayCheck& check) {
  check_word("--format", check.format, {"text", "json"});
  if (check.run.empty()) throw InputError("validate replay needs the run file that `mlsim replay` wrote");
  if (check.profiles.size() != 1)
    throw InputError("--profile", "is needed once: what `mlsim calibrate` measured on these hosts before the run");
  if (check.topology.empty())
    throw InputError("--topology", "is needed, the machine that ran it: `mlsim topology --profile " +
                                       check.profiles.front() + "` writes it; between hosts it needs their NICs");
  const double bound = parsed_bound(check.bound);
  const ReplayRun run = replay_run_from_json(read_text_file(check.run), check.run);
  const Profile profile = load_profile(check.profiles.front());
  check_profile(run, profile, {check.run, check.profiles.front()});
  const ReplayError error = replay_error(run, replay_question(run, profile, check.topology), check.run);
  write_result(check.output,
               check.format == "json" ? replay_error_json(run, error, bound) : replay_error_text(run, error, bound));
  return std::abs(error.relative()) <= bound ? kDoneCode : kNegativeCode;
}

}  // namespace mlsim::cli
