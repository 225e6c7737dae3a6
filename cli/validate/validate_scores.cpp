#include "calibrate/builtin_profiles.hpp"

#include "cli/output/result_capture.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/program.hpp"
#include "cli/validate/validate_options.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "studies/sources/source_score.hpp"
#include "validation/cases/speed_table.hpp"
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

std::string answer(const std::vector<std::string>& words) {
  const ResultCapture result;
  run_program(words);
  return result.text();
}

}  // namespace

int validate_anchors(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const auto speeds = anchor_speeds(asked_cases(options), profiles_with(options.profiles), saying());
  return write_rows(options, speeds, "no row is an anchor whose step can be asked", row_figures_csv("speed", speeds));
}

int validate_speeds(const ValidateOptions& options) {
  check_word("--format", options.format, {"text"});
  const std::vector<ParsedAnchor> anchors = anchors_from(asked_cases(options));
  require_rows(!anchors.empty(), options, "no row is an anchor");
  write_result(options.output, speed_effects_csv(anchors));
  return kDoneCode;
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

int validate_convergence(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const ConvergenceErrors errors = convergence_errors();
  write_result(options.output, options.format == "json" ? to_json(errors) : terminal_text(convergence_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

int validate_transfer(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const TransferErrors errors = transfer_errors(asked_cases(options), profiles_with(options.profiles));
  require_rows(!errors.checks.empty(), options,
               "no run on one V100 or A100 has its like on one accelerator of the generation before");
  write_result(options.output, options.format == "json" ? to_json(errors) : terminal_text(transfer_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

int validate_sources(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json", "markdown"});
  const std::vector<ItemScore> items = score_sources(source_figures(), answer);
  if (options.format == "json") {
    write_result(options.output, to_json(items));
    return kDoneCode;
  }
  const Page page = sources_page(items, calibrate::builtin_profiles());
  write_result(options.output, options.format == "markdown" ? page_markdown(page) : terminal_text(page));
  return kDoneCode;
}

}  // namespace mlsim::cli
