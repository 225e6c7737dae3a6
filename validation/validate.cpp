#include "validation/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/errors.hpp"
#include "validation/answers.hpp"
#include "validation/linear.hpp"

namespace mlsim {
namespace {

bool is_collective(Metric metric) { return metric == Metric::all_reduce_time || metric == Metric::bus_bandwidth; }

/// The table's cases, and the cases that they are relative to, wherever those stand.
class Pool {
 public:
  explicit Pool(const std::vector<Case>& cases) : all_(cases) {
    for (std::size_t i = 0; i < cases.size(); ++i) by_id_.emplace(cases[i].id, i);
    for (const Case& c : published_cases())
      if (by_id_.emplace(c.id, all_.size()).second) all_.push_back(c);
    for (const Case& c : cases)
      if (!c.relative_to.empty()) base_of(c);
  }

  /// The given cases first, then the built-in ones.
  const std::vector<Case>& all() const { return all_; }

  /// The case that `c` is relative to, or null. Throws InputError where there is none of that id.
  const Case* base_of(const Case& c) const {
    if (c.relative_to.empty()) return nullptr;
    const auto found = by_id_.find(c.relative_to);
    if (found != by_id_.end()) return &all_[found->second];
    std::vector<std::string> ids;
    for (const Case& other : all_) ids.push_back(other.id);
    const std::string near = nearest_word(c.relative_to, ids);
    throw InputError(c.place, fmt::format("relative_to names no case: \"{}\"{}", c.relative_to,
                                          near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }

 private:
  std::vector<Case> all_;
  std::map<std::string, std::size_t> by_id_;
};

/// A value with its interval, as far as the prediction has them.
struct Figure {
  double value = 0;
  std::optional<Interval> interval;
};

// An interval of zeros is one that the predictor left open.
std::optional<Interval> known(const Interval& interval) {
  return interval[0] > 0 ? std::optional(interval) : std::nullopt;
}

std::optional<Interval> scaled(const std::optional<Interval>& interval, double factor) {
  if (!interval) return std::nullopt;
  return Interval{(*interval)[0] * factor, (*interval)[1] * factor};
}

// Rates fall as the step time rises.
Figure rate_figure(double rate, const Prediction& p) {
  const auto step = known(p.interval.step_time);
  if (!step) return {rate, std::nullopt};
  return {rate, Interval{rate * p.step.time.value / (*step)[1], rate * p.step.time.value / (*step)[0]}};
}

Figure figure_of(Metric metric, const Prediction& p) {
  switch (metric) {
    case Metric::throughput: return rate_figure(p.throughput.value, p);
    case Metric::speedup: return rate_figure(p.speedup, p);
    case Metric::scaling_efficiency: return rate_figure(p.scaling_efficiency, p);
    case Metric::step_time: return {p.step.time.value, known(p.interval.step_time)};
    case Metric::time_to_accuracy:
      if (!p.time_to_accuracy)
        throw Infeasible("the workload has no data on samples to target, so no time to accuracy");
      return {p.time_to_accuracy->value, p.interval.time_to_accuracy};
    case Metric::cost:
    case Metric::price_ratio:
      if (!p.cost) throw Infeasible("the system has no price, so no cost");
      return {p.cost->value, p.interval.cost};
    case Metric::all_reduce_time:
    case Metric::bus_bandwidth: break;
  }
  throw Infeasible("cases of a single collective are not predicted from a training step");
}

/// The spreads of both sides add in quadrature.
Figure ratio(const Figure& top, const Figure& bottom) {
  Figure out{top.value / bottom.value, std::nullopt};
  if (!top.interval || !bottom.interval) return out;
  const auto spread = [](const Figure& f, int side) { return std::log((*f.interval)[side] / f.value); };
  const double down = std::hypot(spread(top, 0), spread(bottom, 1));
  const double up = std::hypot(spread(top, 1), spread(bottom, 0));
  out.interval = Interval{out.value * std::exp(-down), out.value * std::exp(up)};
  return out;
}

Figure relative_figure(const Case& c, const Prediction& p, const Case& base, const Prediction& b) {
  if (c.metric == Metric::price_ratio) return ratio(figure_of(Metric::cost, p), figure_of(Metric::cost, b));
  const Figure speedup = ratio(figure_of(Metric::throughput, p), figure_of(Metric::throughput, b));
  if (c.metric == Metric::speedup) return speedup;
  const double per_accelerator = static_cast<double>(base.accelerators) / c.accelerators;
  return {speedup.value * per_accelerator, scaled(speedup.interval, per_accelerator)};
}

using AnswersById = std::map<std::string, Answer>;

// Every case and every base is asked once.
AnswersById ask(const std::vector<Case>& cases, const Pool& pool, const ValidationOptions& options) {
  const SharedList<Anchor> anchors = anchors_from(pool.all());
  std::map<std::string, std::size_t> number;  // of each case's question
  std::vector<PredictRequest> questions;
  const auto add = [&](const Case& c) {
    if (is_collective(c.metric) || !number.emplace(c.id, questions.size()).second) return;
    questions.push_back(request_of(c, anchors, options));
  };
  for (const Case& c : cases) {
    add(c);
    if (const Case* base = pool.base_of(c)) add(*base);
  }
  const Predictor predictor =
      options.predictor ? options.predictor : [](const PredictRequest& request) { return predict(request); };
  const auto found = answers(questions, predictor, options.workers, options.progress);
  AnswersById out;
  for (const auto& [id, i] : number) out.emplace(id, found[i]);
  return out;
}

const Prediction& prediction_of(const Case& c, const AnswersById& answers) {
  const Answer& answer = answers.at(c.id);
  if (!answer.prediction) throw Infeasible(answer.refusal);
  return *answer.prediction;
}

CaseResult result_of(const Case& c, const Pool& pool, const AnswersById& answers) {
  CaseResult result;
  result.what = c;
  const Case* base = pool.base_of(c);
  result.linear = linear_baseline(c, base, pool.all());
  try {
    if (is_collective(c.metric))
      throw Infeasible(fmt::format("{} is not predicted from a training step", name(c.metric)));
    const Prediction& p = prediction_of(c, answers);
    const Figure figure =
        base != nullptr ? relative_figure(c, p, *base, prediction_of(*base, answers)) : figure_of(c.metric, p);
    if (!(figure.value > 0) || !std::isfinite(figure.value))
      throw Infeasible(fmt::format("the prediction is {}, which is no {}", figure.value, name(c.metric)));
    result.predicted = figure.value;
    result.interval = figure.interval;
    result.distance = p.distance;
  } catch (const Infeasible& e) {
    result.refusal = e.what();
  }
  return result;
}

}  // namespace

PredictRequest request_of(const Case& c, const SharedList<Anchor>& anchors, const ValidationOptions& options) {
  PredictRequest request;
  request.topology = c.topology;
  request.workload = c.workload;
  request.accelerators = c.accelerators;
  request.global_batch = c.global_batch;
  request.parallelism = c.parallelism;
  request.precision = c.precision;
  request.fidelity = options.fidelity;
  request.settings = c.settings;
  request.profiles = options.profiles;
  request.anchors = anchors;
  request.anchor_source = c.source;
  request.seed = options.seed;
  return request;
}

ValidationReport validate_published(const std::vector<Case>& cases, const ValidationOptions& options,
                                    const Bounds& bounds) {
  const Pool pool(cases);
  const AnswersById answers = ask(cases, pool, options);
  ValidationReport report;
  for (const Case& c : cases) report.cases.push_back(result_of(c, pool, answers));
  report.groups = group_scores(report.cases);
  report.bounds = bounds;
  return report;
}

int exit_status(const ValidationReport& report) {
  return std::all_of(report.groups.begin(), report.groups.end(),
                     [&](const GroupScore& g) { return misses(g, report.bounds).empty(); })
             ? 0
             : 1;
}

}  // namespace mlsim
