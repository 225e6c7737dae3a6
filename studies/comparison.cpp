#include "studies/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/errors.hpp"
#include "sim/answer/predict.hpp"

namespace mlsim::studies {
namespace {

enum class Better { lower, higher, neither };

ComparedAnswer answer_to(const ComparedQuestion& question) {
  try {
    return {question.name, predict(question.request), ""};
  } catch (const InputError& e) {
    throw InputError(fmt::format("\"{}\"", question.name), e.what());
  } catch (const Infeasible& e) {
    return {question.name, std::nullopt, e.what()};
  } catch (const Unavailable& e) {
    return {question.name, std::nullopt, e.what()};
  }
}

// Builds the rows of a comparison, a column for each answer.
class Rows {
 public:
  explicit Rows(Comparison& comparison) : comparison_(comparison) {}

  void input(const std::string& name, const std::function<std::string(const Prediction&)>& value) {
    ComparedInput row{name, {}};
    for (const ComparedAnswer& answer : comparison_.answers)
      row.values.push_back(answer.prediction ? std::optional(value(*answer.prediction)) : std::nullopt);
    comparison_.inputs.push_back(std::move(row));
  }

  void figure(const std::string& name, const std::string& unit, Better better,
              const std::function<std::optional<double>(const Prediction&)>& value,
              const std::function<std::optional<Interval>(const Prediction&)>& interval = {}) {
    ComparedFigure row{name, unit, {}};
    for (const ComparedAnswer& answer : comparison_.answers) {
      row.values.push_back(answer.prediction ? value(*answer.prediction) : std::nullopt);
      row.intervals.push_back(answer.prediction && interval ? interval(*answer.prediction) : std::nullopt);
    }
    row.best = best_of(row.values, better);
    comparison_.figures.push_back(std::move(row));
  }

 private:
  // The first of equals.
  static std::optional<std::size_t> best_of(const std::vector<std::optional<double>>& values, Better better) {
    if (better == Better::neither || std::count_if(values.begin(), values.end(), [](const auto& v) { return v; }) < 2)
      return {};
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      if (!best || (better == Better::lower ? *values[i] < *values[*best] : *values[i] > *values[*best])) best = i;
    }
    return best;
  }

  Comparison& comparison_;
};

template <class Q>
std::optional<double> number(const std::optional<Q>& quantity) {
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

void add_inputs(Rows& rows) {
  using P = Prediction;
  rows.input("accelerators", [](const P& p) {
    const auto& in = p.inputs;
    return in.accelerator.empty() ? fmt::to_string(in.accelerators)
                                  : fmt::format("{} x {}", in.accelerators, in.accelerator);
  });
  rows.input("workload", [](const P& p) { return p.inputs.workload; });
  rows.input("precision", [](const P& p) { return p.inputs.precision; });
  rows.input("global batch", [](const P& p) { return fmt::format("{:g}", p.inputs.global_batch); });
  rows.input("parallelism", [](const P& p) { return p.inputs.parallelism; });
  rows.input("recipe", [](const P& p) { return p.inputs.recipe; });
  rows.input("target", [](const P& p) { return p.inputs.target; });
}

// A row for each setting that any answer was given.
void add_settings(Rows& rows, const std::vector<ComparedAnswer>& answers) {
  std::set<std::string> keys;
  for (const ComparedAnswer& answer : answers) {
    if (!answer.prediction) continue;
    for (const auto& [key, value] : answer.prediction->inputs.settings) keys.insert(key);
  }
  for (const std::string& key : keys) {
    rows.input(key, [&](const Prediction& p) {
      const auto found = p.inputs.settings.find(key);
      return found == p.inputs.settings.end() ? std::string() : found->second;
    });
  }
}

void add_figures(Rows& rows) {
  using P = Prediction;
  using Number = std::optional<double>;
  using Range = std::optional<Interval>;
  rows.figure(
      "time to target", "s", Better::lower, [](const P& p) { return number(p.time_to_accuracy); },
      [](const P& p) { return p.interval.time_to_accuracy; });
  rows.figure(
      "cost", "USD", Better::lower, [](const P& p) { return number(p.cost); },
      [](const P& p) { return p.interval.cost; });
  rows.figure("price", "USD/s", Better::neither, [](const P& p) { return number(p.price); });
  rows.figure("throughput", "1/s", Better::higher, [](const P& p) { return Number(p.throughput.value); });
  rows.figure(
      "step time", "s", Better::lower, [](const P& p) { return Number(p.step.time.value); },
      [](const P& p) { return Range(p.interval.step_time); });
  rows.figure("exposed communication", "1", Better::neither, [](const P& p) {
    return p.step.time.value > 0 ? Number(p.step.exposed_communication / p.step.time) : Number();
  });
  rows.figure("scaling efficiency", "1", Better::higher, [](const P& p) { return Number(p.scaling_efficiency); });
  rows.figure("MFU", "1", Better::higher, [](const P& p) { return p.mfu; });
  rows.figure("memory", "B", Better::neither, [](const P& p) { return Number(p.memory.per_accelerator.value); });
}

}  // namespace

bool ComparedInput::differs() const {
  std::set<std::string> given;
  for (const auto& value : values)
    if (value) given.insert(*value);
  return given.size() > 1;
}

std::optional<double> ComparedFigure::ratio(std::size_t answer) const {
  if (!best || !values[answer]) return {};
  const double own = *values[answer], least = *values[*best];
  if (own == least) return 1;
  if (!(own > 0 && least > 0)) return {};
  return std::max(own / least, least / own);
}

Comparison compare(const std::vector<ComparedQuestion>& questions) {
  Comparison comparison;
  for (const ComparedQuestion& question : questions) comparison.answers.push_back(answer_to(question));
  Rows rows(comparison);
  add_inputs(rows);
  add_settings(rows, comparison.answers);
  add_figures(rows);
  return comparison;
}

}  // namespace mlsim::studies
