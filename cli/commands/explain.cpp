#include <memory>

#include "cli/options/prediction_options.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/errors.hpp"
#include "reports/pages/pages.hpp"
#include "sim/explain/explain.hpp"
#include "studies/compare/job_study.hpp"

namespace mlsim::cli {
namespace {

int run_explain(const PredictionOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  const PredictRequest request = step_request_of(options, "explain");
  announce_messages(request, options.quiet);
  Explanation explanation = explain(request);
  explanation.job = job_changes(request, explanation);
  write_result(options.output, options.format == "json"
                                   ? to_json(explanation)
                                   : terminal_text(explanation_page(explanation), in_color(options)));
  warn_of_unused_profiles(options, {request});
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  auto options = std::make_shared<PredictionOptions>();
  CLI::App* command = app.add_subcommand(
      "explain", "Why a step takes as long: its critical path, what it is made of, and what would shorten it");
  add_prediction_options(*command, *options, Scope::step,
                         "mlsim explain --topology dgx-a100:nodes=2 --workload bert-large");
  add_like(*command, *options);
  command->callback([options, &action] { action = [options] { return run_explain(*options); }; });
}

}  // namespace mlsim::cli
