// `mlsim validate anchors`, `mlsim validate rates` and `mlsim validate unseen` say what published rows give to answers, as
// CSV.
#include "calibrate/builtin_profiles.hpp"
#include "cli/output/notice.hpp"
#include "cli/validate/validate_options.hpp"
#include "validation/scores/anchor_speeds.hpp"
#include "validation/scores/time_rates.hpp"
#include "validation/scores/unseen_runs.hpp"

namespace mlsim::cli {
namespace {

AnswerOptions saying() {
  AnswerOptions how;
  how.say = say;
  return how;
}

}  // namespace

int validate_anchors(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const auto speeds = anchor_speeds(asked_cases(options), profiles_with(options.profiles), saying());
  require_rows(!speeds.empty(), options, "no row is an anchor whose step can be asked");
  write_result(options.output, anchor_speeds_csv(speeds));
  return 0;
}

int validate_rates(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const std::vector<Case> cases = asked_cases(options);  // the rates point into them
  const auto rates = time_rates(cases, profiles_with(options.profiles), saying());
  require_rows(!rates.empty(), options, "no row is an input that says a time to accuracy");
  write_result(options.output, time_rates_csv(rates));
  return 0;
}

int validate_unseen(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const auto runs = unseen_runs(asked_cases(options), profiles_with(options.profiles), saying());
  require_rows(!runs.empty(), options, "no row states what a run did");
  write_result(options.output, unseen_runs_csv(runs));
  return 0;
}

}  // namespace mlsim::cli
