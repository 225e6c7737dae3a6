#include "validation/scores/row_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/process/workers.hpp"
#include "core/text/csv.hpp"
#include "core/text/units_text.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::validation {
namespace {

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
