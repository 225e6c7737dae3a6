// `mlsim validate anchors`, `mlsim validate rates` and `mlsim validate unseen` say what published rows give to answers,
// as CSV.
#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/validate/validate_options.hpp"
#include "validation/scores/row_figures.hpp"

namespace mlsim::cli {
namespace {

AnswerOptions saying() {
  AnswerOptions how;
  how.say = say;
  return how;
}

template <class Row>
int write_rows(const ValidateOptions& options, const std::vector<Row>& rows, const char* none, const std::string& csv) {
  require_rows(!rows.empty(), options, none);
  write_result(options.output, csv);
  return 0;
}

}  // namespace

int validate_anchors(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const auto speeds = anchor_speeds(asked_cases(options), profiles_with(options.profiles), saying());
  return write_rows(options, speeds, "no row is an anchor whose step can be asked", row_figures_csv("speed", speeds));
}

int validate_rates(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const std::vector<Case> cases = asked_cases(options);  // the rates point into them
  const auto rates = time_rates(cases, profiles_with(options.profiles), saying());
  return write_rows(options, rates, "no row is an input that says a time to accuracy", time_rates_csv(rates));
}

int validate_unseen(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const auto runs = unseen_runs(asked_cases(options), profiles_with(options.profiles), saying());
  return write_rows(options, runs, "no row states what a run did", row_figures_csv("predicted", runs));
}

}  // namespace mlsim::cli
