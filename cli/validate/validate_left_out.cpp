// `mlsim validate convergence` and `mlsim validate transfer` are about published numbers left out and predicted from
// the others.
#include <memory>

#include "calibrate/builtin_profiles.hpp"
#include "cli/terminal.hpp"
#include "cli/validate/validate_options.hpp"
#include "reports/pages/left_out_page.hpp"
#include "reports/validation/convergence_errors_json.hpp"
#include "reports/validation/transfer_errors_json.hpp"

namespace mlsim::cli {
namespace {

int validate_convergence(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const ConvergenceErrors errors = convergence_errors();
  write_result(options.output,
               options.format == "json" ? convergence_errors_json(errors) : terminal_text(convergence_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

int validate_transfer(const ValidateOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const TransferErrors errors = transfer_errors(asked_cases(options), profiles_with(options.profiles));
  require_rows(!errors.checks.empty(), options,
               "no run on one V100 or A100 has its like on one accelerator of the generation before");
  write_result(options.output,
               options.format == "json" ? transfer_errors_json(errors) : terminal_text(transfer_page(errors)));
  return misses(errors).empty() ? 0 : 1;
}

}  // namespace

void add_validate_convergence(CLI::App& validate, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App& command =
      add_way(validate, "convergence", "Epochs to target, each result left out and predicted from the others",
              "text (default) or json", *options);
  command.callback([options, &action] { action = [options] { return validate_convergence(*options); }; });
}

void add_validate_transfer(CLI::App& validate, Action& action) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App& command =
      add_way(validate, "transfer", "Runs on one accelerator from runs on another", "text (default) or json", *options);
  add_cases(command, *options);
  command.callback([options, &action] { action = [options] { return validate_transfer(*options); }; });
}

}  // namespace mlsim::cli
