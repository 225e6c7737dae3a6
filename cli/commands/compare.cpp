// `mlsim compare` sets one job side by side on several systems, or with several settings.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "cli/options/prediction_options.hpp"
#include "cli/options/report_file.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "reports/pages/pages.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::cli {
namespace {

struct CompareOptions : PredictionOptions {
  std::vector<std::string> columns;
  std::string report;
  PageOrigin origin;
};

// A column's question is that of all columns with the words of one over it: a topology, KEY=VALUE.
QuestionText question_of_column(const QuestionText& common, const std::string& column) {
  QuestionText question = common;
  std::set<std::string> seen;
  for (const std::string& word : split(column, ' ')) {
    if (word.empty()) continue;
    const auto equals = word.find('=');
    // A ':' before any '=' makes it a system: "dgx-a100:nodes=2".
    const bool system = equals == std::string::npos || word.find(':') < equals;
    const std::string key = system ? "topology" : word.substr(0, equals);
    if (!seen.insert(key).second) throw InputError(fmt::format("\"{}\"", column), fmt::format("says {} twice", key));
    check_key(fmt::format("\"{}\"", column), key);
    set_word(question, key, system ? word : word.substr(equals + 1));
  }
  return question;
}

ComparedQuestion compared_question(const CompareOptions& common, const std::string& column, const KnownFigures& known) {
  const QuestionText question = question_of_column(common, column);
  try {
    require_job(question, "compare");
    return {column, request_of(question, known)};
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\"", column), e.what());
  }
}

int run_compare(const CompareOptions& options) {
  check_word("--format", options.format, {"text", "json"});
  if (options.columns.size() == 1 && options.columns.front().find(',') != std::string::npos)
    throw InputError(fmt::format("\"{}\"", options.columns.front()), "is one column; columns stand between blanks");
  if (options.columns.size() < 2)
    throw InputError("compare", "needs two columns or more, each a system, settings, or both");
  check_report_path("--report", options.report);
  const KnownFigures known = known_figures(options);
  std::vector<ComparedQuestion> questions;
  for (const std::string& column : options.columns) {
    if (std::count(options.columns.begin(), options.columns.end(), column) > 1)
      throw InputError(fmt::format("\"{}\"", column), "stands twice");
    questions.push_back(compared_question(options, column, known));
  }
  std::vector<PredictRequest> requests;
  for (const auto& question : questions) requests.push_back(question.request);
  check_own_prices(requests);
  announce_messages(requests.front(), options.quiet);
  const Comparison comparison = compare(questions);
  std::vector<OutputFile> files;
  if (!options.report.empty())
    files.push_back(report_file(comparison_report(comparison, options.origin), options.report));
  write_result(options.output,
               options.format == "json" ? to_json(comparison) : terminal_text(comparison_page(comparison)), files);
  warn_of_unused_profiles(options, requests);
  const auto answered = [](const ComparedAnswer& answer) { return answer.prediction.has_value(); };
  return std::any_of(comparison.answers.begin(), comparison.answers.end(), answered) ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "One job on several systems or with several settings, in columns");
  command
      ->add_option("COLUMN", options->columns,
                   "A system, or in quotes a system and what else differs: \"dgx-a100 precision=bf16 accumulation=2\"; "
                   "keys are settings, topology, workload, accelerators, global-batch, batch-per-accelerator, "
                   "parallelism, precision and price-date")
      ->type_name("TEXT");
  add_prediction_options(
      *command, *options, Scope::job,
      "mlsim compare dgx-a100 dgx1-v100:nodes=2 \"tpu-v3-32 global-batch=4096\" --workload resnet50");
  add_report_option(*command, options->report);
  command->callback([options, command, &action] {
    options->origin = page_origin(*command);
    action = [options] { return run_compare(*options); };
  });
}

}  // namespace mlsim::cli
