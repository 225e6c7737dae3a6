#include "validation/scores/row_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "core/process/workers.hpp"
#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "sim/pace/run_pace.hpp"
#include "validation/cases/figure.hpp"
#include "validation/scores/validate.hpp"
#include "validation_files.hpp"

namespace mlsim::validation {
namespace {

// A run's rate and its time are two rows of one run.
bool same_run(const ParsedAnchor& anchor, const Case& c) {
  return anchor.id == c.id ||
         (anchor.topology == c.topology && anchor.accelerators == c.accelerators && anchor.workload == c.workload &&
          anchor.global_batch == c.global_batch && anchor.precision == c.precision &&
          anchor.options.software.stack == c.options.software.stack);
}

double predicted(const Case& c, const SharedList<Profile>& profiles) {
  const Evidence& all = published_anchors();
  ValidationOptions options;
  options.profiles = profiles;
  const Evidence others = all.without([&](std::size_t place) { return same_run(all[place], c); });
  return figure_of(c.metric, sim::predict(request_of(c, {{}, others, profiles}, options))).value;
}

bool tells_rate(const Case& c) {
  return c.role == Role::input && c.metric == Metric::time_to_accuracy && c.precision && c.global_batch;
}

Seconds time_at(const Case& c, const CaseEvidence& evidence, double rate) {
  PredictRequest request = request_of(c, evidence, {});
  request.options.job.throughput = PerSecond(rate);
  const Prediction answer = predict(request);
  if (!answer.time_to_target) throw InputError(c.place, "has no target that a rate would reach");
  return *answer.time_to_target;
}

double rate_of(const Case& c, const CaseEvidence& evidence) {
  double slow = 1e-3, fast = 1e12;
  if (time_at(c, evidence, fast) > Seconds(c.value))
    throw InputError(c.place, "takes longer at any rate by its recipe: what does not depend on the rate is too long");
  while (fast / slow > 1 + 1e-6) {
    const double middle = std::sqrt(slow * fast);
    (time_at(c, evidence, middle) > Seconds(c.value) ? slow : fast) = middle;
  }
  return fast;
}

// Lists what the step was set to; the recipe says when it ends.
std::string options_of_step(const Case& c) {
  std::vector<std::string> options;
  for (const auto& [key, value] : settings_of(c.options))
    if (key != "recipe") options.push_back(key + "=" + value);
  if (!c.parallelism.empty()) options.push_back("parallelism=" + c.parallelism);
  return fmt::format("{}", fmt::join(options, ";"));
}

}  // namespace

std::vector<RowFigure> row_figures(const std::vector<std::string>& ids, const std::string& activity,
                                   const std::function<double(std::size_t)>& figure, const AnswerOptions& options) {
  WorkerOptions how;
  how.workers = options.workers;
  how.process = "the process that asked it";
  how.activity = activity;
  how.name = [&](std::size_t i) { return ids[i]; };
  how.say = options.say;
  const auto outcomes = worker_outcomes(
      ids.size(), [&](std::size_t i) { return fmt::format("{:.4g}", figure(i)); }, how);
  std::vector<RowFigure> figures;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    try {
      figures.push_back({ids[i], parse_number(outcomes[i].value())});
    } catch (const InputError&) {
      continue;
    } catch (const Infeasible&) {
      continue;
    }
  }
  return figures;
}

std::string row_figures_csv(const std::string& name, const std::vector<RowFigure>& figures) {
  std::string text = "id," + name + "\n";
  for (const RowFigure& each : figures) text += fmt::format("{},{:.4g}\n", each.id, each.value);
  return text;
}

std::vector<RowFigure> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                     const AnswerOptions& options) {
  PredictRequest asked;
  asked.builtin_profiles = profiles;
  asked.anchors = anchors_from(cases);
  std::vector<std::string> ids;
  for (const ParsedAnchor& anchor : asked.anchors) ids.push_back(anchor.id);
  return row_figures(
      ids, "timing anchors", [&](std::size_t i) { return kernel_speed(asked.anchors, i, asked); }, options);
}

bool states_a_run(const Case& c) {
  const bool figure =
      c.metric == Metric::throughput || c.metric == Metric::step_time || c.metric == Metric::time_to_accuracy;
  return figure && c.role != Role::input && !c.payload && c.relative_to.empty() && !c.options.job.throughput;
}

std::vector<RowFigure> unseen_runs(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                   const AnswerOptions& options) {
  std::vector<const Case*> asked;
  std::vector<std::string> ids;
  for (const Case& c : cases) {
    if (!states_a_run(c)) continue;
    asked.push_back(&c);
    ids.push_back(c.id);
  }
  return row_figures(
      ids, "predicting runs without their own rows", [&](std::size_t i) { return predicted(*asked[i], profiles); },
      options);
}

std::optional<double> stored_unseen_run(const std::string& id) {
  const std::string_view table = file_at(validation_files(), "derived/unseen_runs.csv").text;
  const std::string begin = "\n" + id + ",";
  const std::size_t found = table.find(begin);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view rest = table.substr(found + begin.size());
  return parse_number(std::string(rest.substr(0, rest.find('\n'))));
}

std::string rate_id(const std::string& time_id) {
  constexpr std::string_view kTime = "-time";
  return (time_id.ends_with(kTime) ? time_id.substr(0, time_id.size() - kTime.size()) : time_id) + "-rate";
}

std::vector<TimeRate> time_rates(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                 const AnswerOptions& options) {
  std::vector<TimeRate> rates;
  for (const Case& c : cases)
    if (tells_rate(c)) rates.push_back({&c, PerSecond(0)});
  const CaseEvidence evidence{{}, anchors_from(cases), profiles};  // of the anchors the stacks' names
  WorkerOptions how;
  how.workers = options.workers;
  how.process = "the process that worked out its rate";
  how.activity = "working out rates";
  how.name = [&](std::size_t i) { return rates[i].row->id; };
  how.say = options.say;
  const auto outcomes = worker_outcomes(
      rates.size(), [&](std::size_t i) { return fmt::format("{:.5g}", rate_of(*rates[i].row, evidence)); }, how);
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i].rate = PerSecond(parse_number(outcomes[i].value()));
  return rates;
}

std::string time_rates_csv(const std::vector<TimeRate>& rates) {
  std::string text = fmt::format("{}\n", fmt::join(case_columns(), ","));
  for (const auto& [row, rate] : rates) {
    std::vector<std::string> fields{rate_id(row->id),
                                    row->publisher,
                                    row->source,
                                    row->topology,
                                    fmt::format("{}", row->accelerators),
                                    row->workload,
                                    std::string(name(*row->precision)),
                                    fmt::format("{}", *row->global_batch),
                                    options_of_step(*row),
                                    std::string(name(Metric::throughput)),
                                    fmt::format("{:.5g}", rate.value),
                                    "samples/s",
                                    "",
                                    std::string(name(Role::anchor)),
                                    row->citation + " [the rate at which the row's recipe takes the row's time]"};
    for (std::string& field : fields) field = csv_field(field);
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

}  // namespace mlsim::validation
