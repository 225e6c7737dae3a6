#include "studies/compare/published_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "sim/evidence/difference.hpp"
#include "validation/cases/cases.hpp"
#include "validation/cases/evidence.hpp"
#include "validation/cases/figure.hpp"
#include "validation/scores/row_figures.hpp"
#include "validation/scores/validate.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::studies {
namespace {

using D = Difference;
using NearestCase = NearerBy<&D::tokens_apart, &D::workload, &D::format, &D::release, &D::size_apart,
                             &D::batch_each_apart, &D::to_target, &D::machine, &D::stack_in_use>;

// Cuts "llama-3-8b:layers=12,vocabulary=51200,sequence=4096" to "llama-3-8b:layers=12": neither longer samples nor a
// padded vocabulary make another network.
std::string sized_network(const std::string& workload) {
  const std::vector<std::string> parts = split(workload, ':');
  std::vector<std::string> sizes;
  if (parts.size() > 1)
    for (const std::string& size : split(parts[1], ','))
      if (!size.starts_with("sequence=") && !size.starts_with("vocabulary=")) sizes.push_back(size);
  return fmt::format("{}:{}", parts.front(), fmt::join(sizes, ","));
}

// Says whether a workload is the answer's network at its sequence; a name that does not tell its sequence has the usual.
bool is_network_of(const Prediction& answer, const std::string& workload) {
  return sized_network(workload) == sized_network(answer.inputs.workload) &&
         doublings_apart(tokens_of(workload), answer.inputs.sequence.value_or(0)) == 0;
}

RunTraits answered_run(const PredictRequest& request, const Prediction& answer) {
  const Prediction::Inputs& inputs = answer.inputs;
  RunTraits run = TraitsReader().names(inputs.topology, inputs.workload, request.options);
  run.chip.name = inputs.accelerator;  // of a machine of one's own, too
  run.stack_in_use = inputs.stack;
  run.precision = inputs.precision;
  run.to_target = answer.time_to_target.has_value();
  run.tokens = inputs.sequence.value_or(0);
  run.accelerators = inputs.accelerators;
  run.global_batch = inputs.global_batch;
  return run;
}

// Says in what the run differs from the one asked for.
std::vector<std::string> words(const Difference& apart, const std::string& recipe, const std::string& asked_recipe) {
  std::vector<std::string> found;
  const auto add = [&](bool differs, const char* what) {
    if (differs) found.emplace_back(what);
  };
  add(apart.workload, "workload");
  add(apart.accelerator, "accelerator");
  add(apart.machine, "machine");
  add(apart.size_apart > 0, "accelerators");
  add(apart.format, "precision");
  add(apart.batch_each_apart > 0, "batch");
  add(apart.stack_in_use, "stack");
  add(!recipe.empty() && recipe != asked_recipe, "recipe");
  return found;
}

bool says_other(const PublishedRun& run, const char* what) {
  return std::find(run.differs.begin(), run.differs.end(), what) != run.differs.end();
}

// Gives the answer's range of what the run states; empty where the two are of different systems, networks or steps.
std::optional<Interval> range_of(const Prediction& answer, const PublishedRun& run) {
  for (const char* what : {"workload", "accelerator", "machine", "accelerators"})
    if (says_other(run, what)) return std::nullopt;
  const Interval& step = answer.interval.step_time;
  const Metric metric = parse<Metric>(run.metric);
  if (metric == Metric::time_to_accuracy) return answer.interval.time_to_target;
  if (metric == Metric::step_time && !says_other(run, "batch")) return step;
  if (metric != Metric::throughput || !(step[0] > 0)) return std::nullopt;
  const double samples = answer.throughput.value * answer.step.time.value;
  return Interval{samples / step[1], samples / step[0]};
}

// Says in what the run was another question: "fp8, batch 768, other software".
std::string run_words(const PublishedRun& run) {
  std::vector<std::string> words;
  if (says_other(run, "precision")) words.push_back("in " + run.precision);
  if (says_other(run, "batch")) words.push_back(fmt::format("with batch {:g}", run.global_batch));
  if (says_other(run, "stack")) words.emplace_back("with other software");
  if (says_other(run, "recipe")) words.emplace_back("to another recipe");
  return fmt::format("{}", fmt::join(words, ", "));
}

using validation::Case;

const Case& case_called(const std::string& id) {
  const std::vector<Case>& cases = validation::published_cases();
  const auto found = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.id == id; });
  if (found != cases.end()) return *found;
  std::vector<std::string> ids;
  for (const Case& c : cases) ids.push_back(c.id);
  const std::string nearest = nearest_word(id, ids);
  throw InputError(
      "--like", fmt::format("no published run is called \"{}\"{}; `mlsim validate published` lists them",
                            id.substr(0, 80), nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

void check_words(const std::string& id, const QuestionText& words) {
  for (const auto& [key, member] : question_words()) {
    if (key == "fidelity" || key == "seed" || key == "price-date" || (words.*member).empty()) continue;
    throw InputError("--" + key, fmt::format("is what --like {} says of the run", id));
  }
  if (!words.settings.empty())
    throw InputError("--set " + words.settings.front(), fmt::format("is what --like {} says of the run", id));
}

using validation::CaseResult;

// Returns what published runs of the answer's network mostly state: language models' tables are of steps.
Metric usual_metric(const Prediction& answer) {
  if (answer.time_to_target) return Metric::time_to_accuracy;
  return answer.language ? Metric::step_time : Metric::throughput;
}

std::vector<Case> nearest_cases(const Prediction& answer, std::size_t most) {
  const Metric metric = usual_metric(answer);
  std::vector<Case> cases;
  for (const Case& c : validation::published_cases()) {
    // A case that gives mlsim the throughput is left out: its time would not be mlsim's own.
    if (is_network_of(answer, c.workload) && c.metric == metric && c.role == validation::Role::check &&
        !c.options.job.throughput)
      cases.push_back(c);
  }
  TraitsReader reader;
  const auto apart = [&](const Case& c) {
    return std::pair(doublings_apart(c.accelerators, answer.inputs.accelerators),
                     reader.chip(c.topology).name != answer.inputs.accelerator);
  };
  std::stable_sort(cases.begin(), cases.end(), [&](const Case& a, const Case& b) { return apart(a) < apart(b); });
  if (cases.size() > most) cases.resize(most);
  return cases;
}

}  // namespace

std::optional<PublishedRun> nearest_published_run(const PredictRequest& request, const Prediction& answer) {
  const Activity activity("looking for the nearest published run");
  const RunTraits asked = answered_run(request, answer);
  TraitsReader reader;
  std::optional<Case> best;
  Difference least;
  // The network's sizes and the accelerator come first: rows that differ in these are read where no others state a run.
  const std::string network = sized_network(asked.workload);
  for (const std::pair<bool, bool>& differ : {std::pair(false, false), {false, true}, {true, false}, {true, true}}) {
    const auto wanted = [&](const std::string& workload, const std::string& topology) {
      return differ == std::pair(sized_network(workload) != network, reader.chip(topology).name != asked.chip.name);
    };
    for (Case& c : published_cases_of(asked.network, wanted)) {
      if (!states_a_run(c)) continue;
      const Difference apart = difference(asked, case_traits(c, reader));
      if (best && !NearestCase()(apart, least)) continue;
      best = std::move(c);
      least = apart;
    }
    if (best) break;
  }
  if (!best) return std::nullopt;
  least.workload = !is_network_of(answer, best->workload);
  PublishedRun run;
  run.id = best->id;
  run.topology = best->topology;
  run.workload = best->workload;
  if (best->precision) run.precision = std::string(name(*best->precision));
  run.accelerators = best->accelerators;
  run.global_batch = best->global_batch.value_or(0);
  run.metric = std::string(name(best->metric));
  run.published = best->value;
  run.predicted = stored_unseen_run(best->id);
  run.source = best->source + ": " + best->citation;
  run.differs = words(least, best->options.job.recipe, answer.inputs.recipe);
  return run;
}

void add_published_run(Prediction& answer, const PredictRequest& request) {
  if (answer.collective) return;
  answer.nearest_published = nearest_published_run(request, answer);
  if (!answer.nearest_published) return;
  const PublishedRun& run = *answer.nearest_published;
  const auto range = range_of(answer, run);
  if (!range || (run.published >= (*range)[0] && run.published <= (*range)[1])) return;
  const std::string words = run_words(run);
  answer.warnings.push_back(fmt::format(
      "the run that is published of this system, {}, lies outside the range{}: --like {} asks as it was made", run.id,
      words.empty() ? "" : "; it ran " + words, run.id));
}

PredictRequest published_question(const std::string& id, const QuestionText& words, const KnownFigures& known) {
  check_words(id, words);
  const PredictRequest money = request_of(words, known);
  validation::ValidationOptions options;
  options.fidelity = money.fidelity;
  PredictRequest request =
      validation::request_of(case_called(id), {{}, known.anchors, known.builtin_profiles}, options);
  request.own_profiles = known.own_profiles;
  request.seed = money.seed;
  request.options.price.own = money.options.price.own;
  request.options.price.listed = money.options.price.listed;
  if (money.options.price.date) request.options.price.date = money.options.price.date;
  return request;
}

std::vector<CaseResult> comparable_runs(const PredictRequest& request, const Prediction& answer, std::size_t most) {
  const std::vector<Case> cases = nearest_cases(answer, most);
  if (cases.empty()) return {};
  validation::ValidationOptions how;
  how.profiles = request.builtin_profiles;
  std::vector<CaseResult> results = validation::validate_published(cases, how).cases;
  std::erase_if(results, [](const CaseResult& result) { return !result.predicted; });
  return results;
}

}  // namespace mlsim::studies
