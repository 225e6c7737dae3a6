// `mlsim plan` says which system to rent for a job, how large and with which batch.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/options/prediction_options.hpp"
#include "cli/options/report_file.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program/command.hpp"
#include "core/text/units_text.hpp"
#include "reports/pages/pages.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::cli {
namespace {

struct PlanCommand : PredictionOptions {
  std::string deadline, budget, confidence, trust, memory_margin, most_accelerators, workers, report;
  PageOrigin origin;
};

// Parses "500", "500USD" or "500 USD".
Usd parse_money(const std::string& text) {
  const bool bare = text.find_first_not_of("0123456789.+-eE ") == std::string::npos;
  const Usd money = bare ? Usd(parse_number(text)) : parse_quantity<Usd>(text);
  if (!(money > Usd(0))) throw InputError("must be more than nothing");
  return money;
}

Seconds parse_deadline(const std::string& text) {
  if (text.find_first_not_of("0123456789. ") == std::string::npos)
    throw InputError(fmt::format("\"{}\" has no unit; a deadline is written like \"{}h\"", text, text));
  const auto time = parse_quantity<Seconds>(text);
  if (!(time > Seconds(0))) throw InputError("must be more than no time");
  return time;
}

double parse_between(const std::string& text, double least, double most) {
  const double number = parse_number(text);
  if (!(number >= least && number <= most))
    throw InputError(fmt::format("{} is not between {} and {}", text, least, most));
  return number;
}

PlanQuestion question_of(const PlanCommand& options) {
  if (options.workload.empty()) throw InputError("plan needs --workload; `mlsim list workloads` shows what there is");
  PlanQuestion question;
  question.job = options;
  if (!options.deadline.empty()) question.goal.deadline = parsed("--deadline", options.deadline, parse_deadline);
  if (!options.budget.empty()) question.goal.budget = parsed("--budget", options.budget, parse_money);
  const auto percent = [](const std::string& text) { return parse_between(text, 1, 99.9) / 100; };
  if (!options.confidence.empty()) question.goal.confidence = parsed("--confidence", options.confidence, percent);
  const auto share = [](const std::string& text) { return parse_between(text, 0, 90) / 100; };
  if (!options.memory_margin.empty()) question.memory_margin = parsed("--memory-margin", options.memory_margin, share);
  if (!options.trust.empty()) question.least_trust = parsed("--trust", options.trust, parse<TrustLevel>);
  const auto count = [](const std::string& text) { return parse_count(text); };
  if (!options.most_accelerators.empty() && !options.accelerators.empty())
    throw InputError("--most-accelerators", "changes nothing beside --accelerators, which says all sizes");
  if (!options.most_accelerators.empty())
    question.most_accelerators = parsed("--most-accelerators", options.most_accelerators, count);
  if (!options.workers.empty()) question.workers = parsed("--workers", options.workers, count);
  question.say = say;
  return question;
}

// The study is of what was chosen, beside the sizes of its system that the plan looked at, so that both have one knee.
std::optional<JobStudy> chosen_study(const CapacityPlan& plan) {
  if (!plan.chosen) return std::nullopt;
  ScalingOptions options;
  for (const PlanCandidate& candidate : plan.candidates)
    if (candidate.system == plan.candidates[*plan.chosen].system) options.sizes.push_back(candidate.accelerators);
  options.say = say;
  return job_study(plan.asked, options);
}

std::vector<PredictRequest> candidate_requests(const CapacityPlan& plan) {
  std::vector<PredictRequest> requests;
  for (const PlanCandidate& candidate : plan.candidates) requests.push_back(candidate.request);
  return requests;
}

int run_plan(const PlanCommand& options) {
  check_word("--format", options.format, {"text", "json"});
  check_report_path("--report", options.report);
  const CapacityPlan plan = capacity_plan(question_of(options), known_figures(options));
  std::vector<OutputFile> files;
  if (!options.report.empty())
    files.push_back(report_file(plan_report(plan, chosen_study(plan), options.origin), options.report));
  write_result(options.output, options.format == "json" ? to_json(plan) : terminal_text(plan_page(plan)), files);
  if (!options.profiles.empty()) warn_of_unused_profiles(options, candidate_requests(plan));
  return plan.chosen ? 0 : 1;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlanCommand>();
  CLI::App* command = app.add_subcommand(
      "plan", "Which system to rent for a job, how large and with which batch, by a deadline or within a budget");
  add_prediction_options(*command, *options, Scope::job, "mlsim plan --workload bert --deadline 2h --budget 500USD");
  command->get_option("--topology")->description("Systems to choose from, as in a sweep; else all that have a price");
  command->get_option("--accelerators")->description("Sizes to choose from, as in a sweep; else 1, 2, 4, ...");
  command->add_option("--deadline", options->deadline, "Time to the target, at most: \"2h\"")->type_name("TIME");
  command->add_option("--budget", options->budget, "Bill, at most: \"500USD\"")->type_name("MONEY");
  command->add_option("--confidence", options->confidence, "Probability of meeting both, in percent (90)")
      ->type_name("PERCENT");
  command
      ->add_option("--trust", options->trust, "Only what is trusted so or better: measured, good, fair or weak (weak)")
      ->type_name("WORD");
  command->add_option("--memory-margin", options->memory_margin, "Share of the memory that stays free, in percent (10)")
      ->type_name("PERCENT");
  command->add_option("--most-accelerators", options->most_accelerators, "Look no further than so many (1024)")
      ->type_name("N");
  command->add_option("--workers", options->workers, "Processes at a time; else one for each processor")
      ->type_name("N");
  add_report_option(*command, options->report);
  command->callback([options, command, &action] {
    options->origin = page_origin(*command);
    action = [options] { return run_plan(*options); };
  });
}

}  // namespace mlsim::cli
