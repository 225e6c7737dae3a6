// `mlsim validate convergence` and `mlsim validate transfer` are about published numbers left out and predicted from
// the others.
#include "calibrate/builtin_profiles.hpp"
#include "cli/output/terminal.hpp"
#include "cli/validate/validate_options.hpp"
#include "reports/pages/pages.hpp"

namespace mlsim::cli {

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

}  // namespace mlsim::cli
